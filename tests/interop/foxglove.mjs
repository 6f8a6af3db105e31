// SPDX-License-Identifier: MIT
// foxglove.mjs FILE LINES FROM TO   a session with `foxglove = yes, times = epoch`: its schemas are those of Foxglove's
// own packages, its messages say what the samples of `headpipe export --json` say, and its times lie between FROM and
// TO (ms since 1970).
import { readFile } from "node:fs/promises";
import { parse } from "@foxglove/rosmsg";
import common from "@foxglove/rosmsg-msgs-common";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import schemas from "@foxglove/schemas/internal.js";
import { McapStreamReader } from "@mcap/core";

const [path, linesPath, from, to] = process.argv.slice(2);
let checked = 0;
function check(good, ...what) {
  checked++;
  if (good) return;
  console.error(...what);
  process.exit(1);
}

// name and fields of a type and of all that it is made of, as Foxglove's packages have them
function shape(fields) {
  return fields.map((f) => `${f.type === "builtin_interfaces/Time" ? "time" : f.type}[${f.isArray ? f.arrayLength ?? "" : ""}] ${f.name}`).join(", ");
}
function known(type) {
  if (type === "foxglove_msgs/FrameTransform")
    return schemas.generateRosMsgDefinition(schemas.foxgloveMessageSchemas.FrameTransform, { rosVersion: 2 }).fields;
  return common.ros2jazzy[type]?.definitions;
}

const lines = (await readFile(linesPath, "utf8")).trim().split("\n").map((l) => JSON.parse(l));
const reader = new McapStreamReader({ validateCrcs: true });
reader.append(await readFile(path));
const readers = new Map();
const topics = new Map();
const names = new Map();
const counts = new Map();
for (let r; (r = reader.nextRecord()); ) {
  if (r.type === "Schema" && r.encoding === "ros2msg" && !r.name.startsWith("headpipe")) {
    const parsed = parse(new TextDecoder().decode(r.data), { ros2: true });
    names.set(r.id, r.name);
    parsed.forEach((part, i) => {
      const name = i ? part.name : r.name.replace("/msg/", "/");
      if (name === "builtin_interfaces/Time") return;
      const want = known(name);
      check(want, `there is no ${name}`);
      check(shape(part.definitions) === shape(want), `${name}: ${shape(part.definitions)} instead of ${shape(want)}`);
    });
    readers.set(r.id, new MessageReader(parsed));
  }
  if (r.type === "Channel" && readers.has(r.schemaId)) topics.set(r.id, { topic: r.topic, schema: r.schemaId });
  if (r.type !== "Message") continue;
  const ms = Number(r.logTime / 1000000n);
  check(ms >= Number(from) && ms <= Number(to), `a message at ${ms}, which is not between ${from} and ${to}`);
  const channel = topics.get(r.channelId);
  if (!channel) continue;
  const m = readers.get(channel.schema).readMessage(r.data);
  const n = counts.get(channel.topic) ?? 0;
  counts.set(channel.topic, n + 1);
  const s = lines[n];
  const stamp = m.header?.stamp ?? m.timestamp;
  check(BigInt(stamp.sec) * 1000000000n + BigInt(stamp.nanosec ?? stamp.nsec) === r.logTime, "stamp", stamp, r.logTime);
  const q = (x) => check(x.w === s.quat_w && x.x === s.quat_x && x.y === s.quat_y && x.z === s.quat_z, n, x, s);
  const v = (x, name, scale) => ["x", "y", "z"].forEach((k) => check(x[k] === s[`${name}_${k}`] / scale, n, name, x, s));
  if (channel.topic === "/head/pose") {
    check(m.header.frame_id === "world");
    q(m.pose.orientation);
    v(m.pose.position, "pos", 100);
  } else if (channel.topic === "/head/transform") {
    check(m.parent_frame_id === "world" && m.child_frame_id === "head");
    q(m.rotation);
    v(m.translation, "pos", 100);
  } else {
    check(channel.topic === "/head/imu" && m.header.frame_id === "head", channel.topic);
    q(m.orientation);
    v(m.angular_velocity, "gyro", 1);
    check(m.angular_velocity_covariance[0] === 0 && m.linear_acceleration_covariance[0] === -1, m);
  }
}
for (const topic of ["/head/pose", "/head/transform", "/head/imu"])
  check(counts.get(topic) === lines.length, `${topic}: ${counts.get(topic)} messages of ${lines.length} samples`);
console.log(`${[...names.values()].join(", ")}: ${lines.length} messages each, ${checked} checks`);

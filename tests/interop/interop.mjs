// SPDX-License-Identifier: MIT
// read FILE LINES   opens a session file with @mcap/core, indexed and as a stream, all CRCs checked, decodes every
//                   field, and compares samples with the lines of `headpipe export --json`.
// write FOLDER      writes files of several kinds for headpipe to read.
import { open, readFile, writeFile } from "node:fs/promises";
import { parse } from "@foxglove/rosmsg";
import { MessageReader, MessageWriter } from "@foxglove/rosmsg2-serialization";
import { McapIndexedReader, McapStreamReader, McapWriter } from "@mcap/core";
import { decompress } from "fzstd";

const handlers = { zstd: (data, size) => decompress(new Uint8Array(data), new Uint8Array(Number(size))) };

function fail(text) {
  console.error(text);
  process.exit(1);
}

async function indexed(path) {
  const file = await open(path, "r");
  const readable = {
    size: async () => BigInt((await file.stat()).size),
    read: async (offset, length) => {
      const bytes = new Uint8Array(Number(length));
      const { bytesRead } = await file.read(bytes, 0, Number(length), Number(offset));
      if (bytesRead !== Number(length)) fail("short read");
      return bytes;
    },
  };
  return { file, reader: await McapIndexedReader.Initialize({ readable, decompressHandlers: handlers }) };
}

async function check(path, linesPath) {
  const { file, reader } = await indexed(path);
  const lines = (await readFile(linesPath, "utf8")).trim().split("\n");
  const readers = new Map();
  for (const [id, channel] of reader.channelsById) {
    const schema = reader.schemasById.get(channel.schemaId);
    if (schema?.encoding === "ros2msg")
      readers.set(id, new MessageReader(parse(new TextDecoder().decode(schema.data), { ros2: true })));
  }
  const counts = new Map();
  let samples = 0;
  let fields = 0;
  const seen = [];
  for await (const m of reader.readMessages({ validateCrcs: true })) {
    const channel = reader.channelsById.get(m.channelId);
    counts.set(m.channelId, (counts.get(m.channelId) ?? 0n) + 1n);
    seen.push(`${m.channelId} ${m.sequence}`);
    if (channel.messageEncoding === "cdr") {
      const decoded = readers.get(m.channelId).readMessage(m.data);
      if (channel.topic === "/events") {
        if (!(decoded.type >= 1 && decoded.type <= 8) || decoded.name === "") fail(`event ${JSON.stringify(decoded)}`);
        continue;
      }
      const want = JSON.parse(lines[samples]);
      for (const [key, value] of Object.entries(want)) {
        const got = typeof decoded[key] === "bigint" ? Number(decoded[key]) : decoded[key];
        if (!Object.is(got, value)) fail(`sample ${samples}: ${key} is ${got} there and ${value} here`);
        fields++;
      }
      if (BigInt(want.time_ns) !== m.logTime) fail(`sample ${samples}: log time ${m.logTime}`);
      samples++;
    } else if (channel.messageEncoding === "json") {
      if (new TextDecoder().decode(m.data) !== lines[samples++]) fail(`sample ${samples}: another text`);
      fields++;
    } else if (channel.topic === "/hid/reports") {
      if (m.data.length < 1 || !/^[0-9a-f]{20,}$/.test(channel.metadata.get("descriptor") ?? "")) fail("report or descriptor");
    } else {
      fail(`channel ${channel.topic} ${channel.messageEncoding}`);
    }
  }
  if (samples !== lines.length) fail(`${samples} samples there, ${lines.length} here`);
  for (const [id, n] of reader.statistics.channelMessageCounts)
    if (counts.get(id) !== n) fail(`statistics: channel ${id} has ${n}, read ${counts.get(id)}`);
  if (reader.statistics.messageCount !== [...counts.values()].reduce((a, b) => a + b, 0n)) fail("statistics: messages");
  for await (const a of reader.readAttachments())
    if (a.name !== "pipeline.ini" || !new TextDecoder().decode(a.data).includes("[input")) fail("attachment");
  for await (const m of reader.readMetadata()) if (m.name !== "headpipe.session") fail("metadata");
  await file.close();
  // the same from front to back, as a program without the index would read it
  const stream = new McapStreamReader({ validateCrcs: true, decompressHandlers: handlers });
  stream.append(new Uint8Array(await readFile(path)));
  let n = 0;
  let types = new Set();
  for (let record; (record = stream.nextRecord()); types.add(record.type)) n += record.type === "Message" ? 1 : 0;
  if (!stream.done() || n !== seen.length) fail(`stream: ${n} messages, ${seen.length} by index`);
  for (const type of ["Header", "Attachment", "Metadata", "Message", "DataEnd", "Statistics", "Footer"])
    if (!types.has(type)) fail(`stream: no ${type}`);
  console.log(`${samples} samples, ${fields} fields, ${n} messages`);
}

const sampleSchema = `uint64 seq
int64 time_ns # ns
int64 arrival_ns # ns
int64 device_ns # ns
float64 quat_w
float64 quat_x
float64 quat_y
float64 quat_z
float64 rotvec_x # rad
float64 rotvec_y # rad
float64 rotvec_z # rad
float64 yaw # deg
float64 pitch # deg
float64 roll # deg
float64 pos_x # cm
float64 pos_y # cm
float64 pos_z # cm
float64 gyro_x # rad/s
float64 gyro_y # rad/s
float64 gyro_z # rad/s
float64 accel_x # m/s^2
float64 accel_y # m/s^2
float64 accel_z # m/s^2
float64 rate_hz # Hz
float64 latency_ms # ms
uint32 flags
uint32 source
uint32 reset_count
`;

async function write(folder) {
  const kinds = {
    plain: {},
    small: { chunkSize: 300 },
    unchunked: { useChunks: false },
    noindex: { useMessageIndex: false },
    nosummary: { useStatistics: false, useSummaryOffsets: false, useChunkIndex: false, repeatSchemas: false, repeatChannels: false },
    bare: { useChunks: false, useStatistics: false, useSummaryOffsets: false, repeatSchemas: false, repeatChannels: false },
  };
  for (const [kind, options] of Object.entries(kinds)) {
    const file = await open(`${folder}/${kind}.mcap`, "w");
    let position = 0n;
    const writable = {
      position: () => position,
      write: async (data) => {
        await file.write(data);
        position += BigInt(data.byteLength);
      },
    };
    const w = new McapWriter({ writable, ...options });
    await w.start({ profile: "ros2", library: "interop" });
    const schemaId = await w.registerSchema({ name: "headpipe/Sample", encoding: "ros2msg", data: new TextEncoder().encode(sampleSchema) });
    const channelId = await w.registerChannel({ topic: "/head/sample", messageEncoding: "cdr", schemaId, metadata: new Map([["by", "interop"]]) });
    const other = await w.registerChannel({ topic: "/other", messageEncoding: "json", schemaId: 0, metadata: new Map() });
    const serialize = new MessageWriter(parse(sampleSchema, { ros2: true }));
    for (let i = 0; i < 100; i++) {
      const time = BigInt(1e9 + i * 4e6);
      const sample = { seq: BigInt(i), time_ns: time, arrival_ns: time, device_ns: -5n, quat_w: 1, yaw: i / 3, pitch: -i / 7, flags: 3 };
      for (const line of sampleSchema.trim().split("\n")) {
        const [type, name] = line.split(" ");
        sample[name] ??= type.endsWith("64") && !type.startsWith("float") ? 0n : 0;
      }
      await w.addMessage({ channelId, sequence: i, logTime: time, publishTime: time, data: serialize.writeMessage(sample) });
      if (i % 5 === 0)
        await w.addMessage({ channelId: other, sequence: i, logTime: time, publishTime: time, data: new TextEncoder().encode(`{"i":${i}}`) });
    }
    await w.addAttachment({ name: "note.txt", mediaType: "text/plain", logTime: 1n, createTime: 1n, data: new TextEncoder().encode("hello") });
    await w.addMetadata({ name: "other", metadata: new Map([["a", "b"]]) });
    await w.end();
    await file.close();
  }
}

const [command, ...args] = process.argv.slice(2);
if (command === "read") await check(...args);
else if (command === "write") await write(...args);
else fail("usage: interop.mjs read FILE LINES | write FOLDER");

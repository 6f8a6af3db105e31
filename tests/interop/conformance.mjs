// SPDX-License-Identifier: MIT
// FOLDER   writes every file of MCAP's public conformance suite with @mcap/core's record builder: six contents, each with
//          every set of optional features that goes with it. One line of JSON per file: its name and what is in it.
import { writeFile } from "node:fs/promises";
import { crc32, crc32Final, crc32Init, crc32Update } from "@foxglove/crc";
import { McapChunkBuilder, McapRecordBuilder, Opcode } from "@mcap/core";

const text = new Uint8Array([1, 2, 3]);
const schema = { kind: "schema", id: 1, name: "Example", encoding: "c", data: new Uint8Array([4, 5, 6]) };
const channel = { kind: "channel", id: 1, topic: "example", schemaId: 1, messageEncoding: "a", metadata: new Map([["foo", "bar"]]) };
const bare = { ...channel, schemaId: 0, messageEncoding: "text", metadata: new Map() };
const message = (sequence, logTime, publishTime = logTime) => ({ kind: "message", channelId: 1, sequence, logTime, publishTime, data: text });
const contents = {
  NoData: [],
  OneMessage: [schema, channel, message(10, 2n, 1n)],
  OneSchemalessMessage: [bare, message(10, 2n, 1n)],
  OneAttachment: [{ kind: "attachment", name: "myFile", mediaType: "application/octet-stream", logTime: 2n, createTime: 1n, data: text }],
  OneMetadata: [{ kind: "metadata", name: "myMetadata", metadata: new Map([["foo", "bar"]]) }],
  TenMessages: [schema, channel, ...[0n, 2n, 1n, 3n, 3n, 5n, 4n, 7n, 8n, 9n].map((t, i) => message(i, t))],
};
const features = ["ax", "ch", "chx", "mdx", "mx", "pad", "rch", "rsh", "st", "sum"];

// Which features go together, and with these records.
function fits(on, kinds) {
  const one = (...names) => names.some((n) => on.has(n));
  if (on.has("ax") && !kinds.has("attachment")) return false;
  if (on.has("mdx") && !kinds.has("metadata")) return false;
  if (on.has("rsh") && !kinds.has("schema")) return false;
  if (one("rch", "ch") && !kinds.has("channel")) return false;
  if (one("chx", "mx") && !on.has("ch")) return false;
  return !on.has("sum") || one("chx", "rsh", "rch", "mdx", "ax", "st");
}

function make(on, records) {
  const file = new McapRecordBuilder({ padRecords: on.has("pad") });
  const chunk = on.has("ch") ? new McapChunkBuilder({ useMessageIndex: on.has("mx") }) : undefined;
  const of = (kind) => records.filter((r) => r.kind === kind);
  const indexes = { ax: [], mdx: [] };
  file.writeMagic();
  file.writeHeader({ profile: "", library: "" });
  for (const r of records) {
    const offset = BigInt(file.length);
    if (r.kind === "schema") chunk ? chunk.addSchema(r) : file.writeSchema(r);
    if (r.kind === "channel") chunk ? chunk.addChannel(r) : file.writeChannel(r);
    if (r.kind === "message") chunk ? chunk.addMessage(r) : file.writeMessage(r);
    if (r.kind === "attachment") indexes.ax.push({ ...r, offset, length: file.writeAttachment(r), dataSize: BigInt(r.data.length) });
    if (r.kind === "metadata") indexes.mdx.push({ ...r, offset, length: file.writeMetadata(r) });
  }
  const index = { compression: "", messageIndexOffsets: new Map(), messageIndexLength: 0n };
  if (chunk) {
    const { buffer, messageStartTime, messageEndTime } = chunk;
    const size = BigInt(buffer.byteLength);
    Object.assign(index, { chunkStartOffset: BigInt(file.length), messageStartTime, messageEndTime, compressedSize: size, uncompressedSize: size });
    index.chunkLength = file.writeChunk({ ...index, uncompressedCrc: crc32(buffer), records: buffer });
    for (const i of chunk.indices) {
      index.messageIndexOffsets.set(i.channelId, BigInt(file.length));
      index.messageIndexLength += file.writeMessageIndex(i);
    }
  }
  file.writeDataEnd({ dataSectionCrc: crc32(file.buffer) });

  const start = BigInt(file.length);
  const groups = [];
  const group = (groupOpcode, wanted, list, write) => {
    const groupStart = BigInt(file.length);
    if (wanted) list.forEach((r) => write(r));
    const groupLength = BigInt(file.length) - groupStart;
    if (groupLength) groups.push({ groupOpcode, groupStart, groupLength });
  };
  const times = of("message").map((m) => m.logTime).sort((a, b) => Number(a - b));
  const statistics = {
    messageCount: BigInt(times.length), schemaCount: of("schema").length, channelCount: of("channel").length,
    attachmentCount: of("attachment").length, metadataCount: of("metadata").length, chunkCount: chunk ? 1 : 0,
    messageStartTime: times[0] ?? 0n, messageEndTime: times.at(-1) ?? 0n,
    channelMessageCounts: new Map(times.length ? [[1, BigInt(times.length)]] : []),
  };
  group(Opcode.SCHEMA, on.has("rsh"), of("schema"), (r) => file.writeSchema(r));
  group(Opcode.CHANNEL, on.has("rch"), of("channel"), (r) => file.writeChannel(r));
  group(Opcode.STATISTICS, on.has("st"), [statistics], (r) => file.writeStatistics(r));
  group(Opcode.METADATA_INDEX, on.has("mdx"), indexes.mdx, (r) => file.writeMetadataIndex(r));
  group(Opcode.ATTACHMENT_INDEX, on.has("ax"), indexes.ax, (r) => file.writeAttachmentIndex(r));
  group(Opcode.CHUNK_INDEX, on.has("chx"), [index], (r) => file.writeChunkIndex(r));
  const summaryStart = BigInt(file.length) === start ? 0n : start;
  const summaryOffsetStart = on.has("sum") ? BigInt(file.length) : 0n;
  if (on.has("sum")) groups.forEach((g) => file.writeSummaryOffset(g));
  const foot = new DataView(new ArrayBuffer(25));
  foot.setUint8(0, Opcode.FOOTER);
  foot.setBigUint64(1, 20n, true);
  foot.setBigUint64(9, summaryStart, true);
  foot.setBigUint64(17, summaryOffsetStart, true);
  const summaryCrc = crc32Final(crc32Update(crc32Update(crc32Init(), file.buffer.subarray(Number(start))), foot));
  file.writeFooter({ summaryStart, summaryOffsetStart, summaryCrc });
  file.writeMagic();
  return file.buffer;
}

for (const [name, records] of Object.entries(contents)) {
  const kinds = new Set(records.map((r) => r.kind));
  for (let set = 0; set < 1 << features.length; set++) {
    const on = new Set(features.filter((_, i) => (set >> i) & 1));
    if (!fits(on, kinds)) continue;
    const path = [name, ...on].join("-") + ".mcap";
    await writeFile(process.argv[2] + "/" + path, make(on, records));
    const n = (kind) => records.filter((r) => r.kind === kind).length;
    console.log(JSON.stringify({ path, messages: n("message"), attachments: n("attachment"), metadata: n("metadata"), channels: n("channel") }));
  }
}

# SPDX-License-Identifier: MIT
"""random_mcap.py - legal MCAP files of every shape: with and without chunks, indexes, statistics, summary and CRCs, messages
beside chunks, times in any order, empty chunks, unknown records, records that are longer than what is known of them."""
import json, struct, zlib

MAGIC = b"\x89MCAP0\r\n"
S = 10**9


def text(t):
    t = t if isinstance(t, bytes) else t.encode()
    return struct.pack("<I", len(t)) + t


def pairs(m):
    return text(b"".join(text(k) + text(v) for k, v in m.items()))


def rec(op, body):
    return struct.pack("<BQ", op, len(body)) + body


def zstd(data):
    """A frame whose blocks are not packed."""
    out = b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", len(data))
    for at in range(0, len(data), 1 << 17):
        part = data[at:at + (1 << 17)]
        out += struct.pack("<I", len(part) << 3 | (at + len(part) == len(data)))[:3] + part
    return out if data else out + b"\x01\0\0"


def lz4(data):
    """The same for LZ4: 64 KiB blocks. The last byte of the head is xxh32 of the two in front of it."""
    out = struct.pack("<I", 0x184D2204) + b"\x60\x40\x82"
    for at in range(0, len(data), 1 << 16):
        part = data[at:at + (1 << 16)]
        out += struct.pack("<I", 1 << 31 | len(part)) + part
    return out + bytes(4)


class File:
    """One random file: self.data, and what is in it: self.counts by topic, self.attachments, self.metadata, self.times."""

    def __init__(self, rnd, sample, descriptor, reports, packings):
        self.rnd, self.sample, self.reports, self.packings = rnd, sample, reports, packings
        self.pad = rnd.random() < .3
        self.crc = rnd.random() < .7
        self.counts, self.times, self.attachments, self.metadata = {}, {}, 0, 0
        kinds = [("/head/sample", "json", {}), ("/head/sample", "json", {"of": "another source"}), ("/imu", "raw", {}), ("/events", "cdr", {}),
                 ("/hid/reports", "raw", {"device": "random", "vendor": "054c", "product": "0df0", "report_size": "14", "rate_start_ns": "0",
                                          "descriptor": descriptor})]
        ids = rnd.sample(range(1, 60000), len(kinds))
        self.channels = [(ids[k], k + 1 if k == 3 else 0, *kinds[k]) for k in sorted(rnd.sample(range(len(kinds)), rnd.randrange(1, len(kinds) + 1)))]
        self.out = bytearray(MAGIC + self.record(1, text("") + text(rnd.choice(["", "other", "x" * 600]))))
        self.known, self.sequence = set(), 0
        self.now, self.low, self.high = rnd.choice([0, S, 1 << 40, 1_700_000_000 * S]), None, None
        self.wild = rnd.random() < .5
        self.chunks, self.places, self.indexed = [], [], rnd.random() < .6
        self.total, self.by_id = 0, {}
        for _ in range(rnd.randrange(0, 12)):
            rnd.choice([self.chunk, self.chunk, self.chunk, self.plain, self.attachment, self.named, self.unknown])()
        self.end()
        self.data = bytes(self.out)

    def record(self, op, body):
        return rec(op, body + (self.rnd.randbytes(self.rnd.randrange(1, 20)) if self.pad and op not in (2, 5, 6, 15) else b""))

    def declare(self, channel):
        """Schema and channel records, where they are not known yet, and sometimes again."""
        id, schema, topic, encoding, metadata = channel
        if id in self.known and self.rnd.random() < .9:
            return b""
        self.known.add(id)
        head = b""
        if schema:
            head = self.record(3, struct.pack("<H", schema) + text("headpipe/Event") + text("ros2msg") +
                               text("int64 value\nint64 rate_start_ns # ns\nuint32 type\nstring name\nstring text\n"))
        return head + self.record(4, struct.pack("<HH", id, schema) + text(topic) + text(encoding) + pairs(metadata))

    def message(self):
        rnd = self.rnd
        channel = rnd.choice(self.channels)
        step = rnd.random()
        if step < .15:
            pass  # the same time again
        elif step < .8 or not self.wild:
            self.now += rnd.randrange(1, S // 10)
        else:
            self.now = max(0, self.now - rnd.randrange(0, 20 * S))
        t = self.now
        topic = channel[2]
        if topic == "/head/sample":
            data = json.dumps({**self.sample, "seq": self.sequence, "time_ns": t}, separators=(",", ":")).encode()
        elif topic == "/hid/reports":
            data = rnd.choice(self.reports)
        elif topic == "/events":
            data = b"\0\1\0\0" + struct.pack("<qqI", 7, 0, 8) + b"".join(struct.pack("<I", len(x) + 1) + x + b"\0" for x in (b"lost", b"abc"))
        else:
            data = rnd.randbytes(rnd.randrange(0, 300))
        self.sequence += 1
        self.counts[topic] = self.counts.get(topic, 0) + 1
        self.times.setdefault(topic, []).append(t)
        self.total += 1
        self.by_id[channel[0]] = self.by_id.get(channel[0], 0) + 1
        self.low = t if self.low is None else min(t, self.low)
        self.high = t if self.high is None else max(t, self.high)
        return channel, t, rec(5, struct.pack("<HIQQ", channel[0], self.sequence, t, t) + data)

    def chunk(self):
        rnd = self.rnd
        body, index, low, high = b"", {}, None, None
        for _ in range(rnd.choice([0, 1, 2, 5, 40])):
            if rnd.random() < .05:
                body += rec(rnd.randrange(0x81, 0x100), rnd.randbytes(rnd.randrange(0, 40)))
            channel, t, message = self.message()
            body += self.declare(channel)
            index.setdefault(channel[0], []).append((t, len(body)))
            body += message
            low, high = t if low is None else min(low, t), t if high is None else max(high, t)
        name, pack = rnd.choice(self.packings)
        packed = pack(body)
        start = len(self.out)
        head = (low or 0, high or 0, len(body), zlib.crc32(body) if self.crc else 0)
        self.out += rec(6, struct.pack("<QQQI", *head) + text(name) + struct.pack("<Q", len(packed)) + packed)
        length, offsets = len(self.out) - start, {}
        if self.indexed:
            for id, entries in index.items():
                offsets[id] = len(self.out)
                self.out += self.record(7, struct.pack("<H", id) + text(b"".join(struct.pack("<QQ", *e) for e in entries)))
        self.chunks.append(struct.pack("<QQQQ", head[0], head[1], start, length) + text(b"".join(struct.pack("<HQ", *o) for o in offsets.items())) +
                           struct.pack("<Q", len(self.out) - start - length) + text(name) + struct.pack("<QQ", len(packed), len(body)))

    def plain(self):
        for _ in range(self.rnd.randrange(1, 6)):
            channel, _, message = self.message()
            self.out += self.declare(channel) + message

    def attachment(self):
        self.attachments += 1
        name, data = f"file {self.attachments}", self.rnd.randbytes(self.rnd.randrange(0, 5000))
        head = struct.pack("<QQ", 5, 6) + text(name) + text("x/y")
        body = head + struct.pack("<Q", len(data)) + data
        start = len(self.out)
        self.out += self.record(9, body + struct.pack("<I", zlib.crc32(body) if self.crc else 0))
        self.places.append((10, struct.pack("<QQQQQ", start, len(self.out) - start, 5, 6, len(data)) + text(name) + text("x/y")))

    def named(self):
        self.metadata += 1
        name, start = f"name {self.metadata}", len(self.out)
        self.out += self.record(12, text(name) + pairs({str(k): "v" * k for k in range(self.rnd.randrange(0, 80))}))
        self.places.append((13, struct.pack("<QQ", start, len(self.out) - start) + text(name)))

    def unknown(self):
        self.out += rec(self.rnd.randrange(0x82, 0x100), self.rnd.randbytes(self.rnd.randrange(0, 100)))

    def end(self):
        rnd = self.rnd
        self.out += rec(15, struct.pack("<I", zlib.crc32(bytes(self.out)) if self.crc else 0))
        start, groups = len(self.out), []

        def group(op, bodies, likely):
            at = len(self.out)
            if rnd.random() < likely:
                for b in bodies:
                    self.out.extend(self.record(op, b))
            if len(self.out) > at:
                groups.append((op, at, len(self.out) - at))
        if rnd.random() < .75:
            used = [c for c in self.channels if c[0] in self.known]
            schemas = [struct.pack("<H", c[1]) + text("headpipe/Event") + text("ros2msg") +
                       text("int64 value\nint64 rate_start_ns # ns\nuint32 type\nstring name\nstring text\n") for c in used if c[1]]
            group(3, schemas, .8)
            group(4, [struct.pack("<HH", c[0], c[1]) + text(c[2]) + text(c[3]) + pairs(c[4]) for c in used], .8)
            counts = b"".join(struct.pack("<HQ", id, n) for id, n in self.by_id.items())
            group(11, [struct.pack("<QHIIIIQQ", self.total, len(schemas), len(used), self.attachments, self.metadata, len(self.chunks),
                                   self.low or 0, self.high or 0) + text(counts)], .7)
            group(8, rnd.sample(self.chunks, len(self.chunks)) if rnd.random() < .3 else self.chunks, .7)
            group(10, [b for op, b in self.places if op == 10], .7)
            group(13, [b for op, b in self.places if op == 13], .7)
            if rnd.random() < .2:
                self.out += rec(0x99, b"private")
        offsets = len(self.out) if groups and rnd.random() < .6 else 0
        if offsets:
            for g in groups:
                self.out += self.record(14, struct.pack("<BQQ", *g))
        start = start if len(self.out) > start else 0
        foot = rec(2, struct.pack("<QQI", start, offsets, 0))[:-4]
        crc = zlib.crc32(bytes(self.out[start:]) + foot if start else foot) if self.crc else 0
        self.out += foot + struct.pack("<I", crc) + MAGIC

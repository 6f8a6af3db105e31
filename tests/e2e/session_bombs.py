#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""session_bombs.py - small files that say that they are gigabytes: what a command takes of memory stays below its limit, the
work is in proportion to the file, and what is good beside them is read."""
from lib import *
import json, resource, zlib

if "HP_HAVE_ZSTD 1" not in open(build + "/have.h").read():
    skip("zstd, which this build lacks")
MIB = 1 << 20


def rec(op, body):
    return struct.pack("<BQ", op, len(body)) + body


def text(t):
    return struct.pack("<I", len(t)) + t


def chunk(raw, packed, size=None, crc=None, name=b"zstd", times=(0, 0)):
    return rec(6, struct.pack("<QQQI", *times, len(raw) if size is None else size, zlib.crc32(raw) if crc is None else crc) + text(name) +
               struct.pack("<Q", len(packed)) + packed)


def zeros(size):
    """A zstd frame of one byte repeated: blocks of 128 KiB, four bytes each."""
    out = b"\x28\xb5\x2f\xfd" + b"\xe0" + struct.pack("<Q", size)
    while size:
        n = min(size, 1 << 17)
        size -= n
        out += struct.pack("<I", n << 3 | 1 << 1 | (size == 0))[:3] + b"\0"
    return out


MAGIC = b"\x89MCAP0\r\n"
HEAD = MAGIC + rec(1, text(b"") + text(b"other"))
CHANNEL = rec(4, struct.pack("<HH", 1, 0) + text(b"/a") + text(b"raw") + text(b""))
MESSAGE = rec(5, struct.pack("<HIQQ", 1, 0, 5, 5) + b"abc")
END = rec(15, struct.pack("<I", 0)) + rec(2, struct.pack("<QQI", 0, 0, 0)) + MAGIC
GOOD = chunk(CHANNEL + MESSAGE, CHANNEL + MESSAGE, name=b"", times=(5, 5))


def measured(*words):
    """Exit status, what it said, and the most memory it had, in MiB."""
    with open(path_of("said"), "w") as said:
        p = subprocess.Popen([headpipe, *words], cwd=d, stdout=said, stderr=said)
        _, status, usage = os.wait4(p.pid, 0)
    p.returncode = status
    return os.waitstatus_to_exitcode(status), read("said").decode(errors="replace"), usage.ru_maxrss // 1024


# sanitizers have memory of their own, which is not looked at
most = 0
usual = measured("info", write("small.mcap", HEAD + GOOD + END))[2]


def limited(what, extra, *words, code=1):
    global most
    got, said, memory = measured(*words)
    check(got == code, f"{what}: exit {got}: {said}")
    most = max(most, memory - usual)
    check(sanitize or memory - usual < extra, f"{what}: {memory - usual} MiB, and the limit is {extra}")
    return said


# one chunk of 4 GiB less a byte, 131 KB of file
write("one.mcap", HEAD + GOOD + chunk(b"", zeros((4 << 30) - 1), size=(4 << 30) - 1, crc=1, times=(0, 1)) + GOOD + END)
said = limited("info", 64, "info", "one.mcap", "--json", code=0)
i = json.loads(said)
check(i["messages"] == 2 and i["note"] and "times its size" in i["note"], i)
said = limited("recover", 64, "recover", "one.mcap", "-o", "got.mcap")
check("2 messages" in said and "cannot be unpacked here" in said, said)
check(json.loads(measured("info", "got.mcap", "--json")[1])["messages"] == 2, "what is good is rescued")
said = limited("verify", 64, "verify", "one.mcap")
check("not checked" in said and "recover" not in said, said)
# many chunks that together are too much, each of them small enough
record = rec(0x90, bytes(40 * MIB - 9))
frame = zeros(0)
write("many.mcap", HEAD + GOOD + 60 * chunk(b"", zeros(40 * MIB), size=40 * MIB, crc=1, times=(0, 1)) + END)
said = limited("many", 128, "info", "many.mcap", "--max-memory=100")
check("times their size" in said and "100 MiB" in said, said)
# an archive whose columns never change
def constant(v):
    return b"\0" + struct.pack("<I", len(v)) + v
block = b"\x01" + struct.pack("<I", 8192) + constant(bytes(8)) * 2 + constant(bytes(4)) + constant(struct.pack("<I", 8192)) + \
    struct.pack("<H", 1024) + b"\0" + b"\x08" * 1024 + constant(bytes(8)) * 1024
names = rec(4, struct.pack("<HH", 1, 0) + text(b"/packed/order") + text(b"columns") + text(b""))
messages = rec(5, struct.pack("<HIQQ", 1, 0, 0, 0) + struct.pack("<I", 1) + constant(struct.pack("<H", 2)))
for k in range(40):
    names += rec(4, struct.pack("<HH", 2 + k, 0) + text(b"/packed/x%d" % k) + text(b"columns") + text(text(b"packed.encoding") + text(b"raw")))
    messages += rec(5, struct.pack("<HIQQ", 2 + k, 0, 0, 0) + block)
write("pack.mcap", HEAD + chunk(names + messages, names + messages, name=b"") + END)
limited("unpack", 256, "unpack", "pack.mcap", "-o", "out.mcap")
check(not os.path.exists(path_of("out.mcap")), "unpack leaves a file")
# heads of chunks that are none, each of which reaches to the end
unit, n = 49, 2_000_000 // 49
body = b"".join(struct.pack("<BQQQQIIQ", 6, (n - k) * unit - 9 + 2, 0, 1, (n - k) * unit - 49 + 2, 1, 0, (n - k) * unit - 49 + 2) for k in range(n))
write("heads.mcap", HEAD + body + b"\0" * 7)
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
said = limited("heads", 64, "info", "heads.mcap", code=0)
check("too many heads of chunks" in said, said)
spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
check(spent < 60, f"{spent} s for 2 MB")
# many channels, many schemas, a chunk for each message
many = b"".join(rec(3, struct.pack("<H", 1 + k) + text(b"s") + text(b"t") + text(b"")) + rec(4, struct.pack("<HH", k, 1 + k) + text(b"/t%d" % k) +
                text(b"raw") + text(b"")) for k in range(20000))
write("wide.mcap", HEAD + many + b"".join(chunk(b"", m, name=b"", size=len(m), crc=zlib.crc32(m), times=(k, k)) for k in range(20000)
      for m in [rec(5, struct.pack("<HIQQ", k, 0, k, k))]) + END)
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
i = json.loads(limited("wide", 128, "info", "wide.mcap", "--json", code=0))
check(i["messages"] == 20000 and len(i["channels"]) == 20000, (i["messages"], i["note"]))
spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
check(spent < 60, f"{spent} s for 20000 channels")
print(f"count: memory beside the usual for a file that is a bomb: at most {most} MiB")
end("files that say that they are gigabytes")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""session_verify.py - verify finds whatever is said twice and once wrongly, also where the summary's CRC is made to agree
with the lie: every byte of the summary and the footer, every length in the data, every bit of the end of data."""
from lib import *
import zlib

said = run("[input head]\nuse = replay\npath = " + os.path.abspath("conf/head-motion.hid") + "\nspeed = 0\nto = 500ms\n"
           "[output tape]\nuse = session\npath = full.mcap\nchunk_time = 300ms\n")
check(said.returncode == 0, said.stderr)
whole = read("full.mcap")
footer = len(whole) - 37
summary, offsets = struct.unpack_from("<QQ", whole, footer + 9)


def records(data, at, end):
    while at < end:
        size = struct.unpack_from("<Q", data, at + 1)[0]
        yield at, data[at], 9 + size
        at += 9 + size


def verify(data):
    write("lie.mcap", bytes(data))
    p = command("verify", "lie.mcap", errors="replace")
    check(p.returncode in (0, 1), f"verify ends with {p.returncode}")
    return p.returncode


def lie(place, value):
    """The byte is changed, and the summary's CRC says so."""
    data = bytearray(whole)
    data[place] = value
    struct.pack_into("<I", data, footer + 25, zlib.crc32(bytes(data[summary:footer + 25])))
    return data


check(verify(whole) == 0, "the file is good")
found = 0
for at, op, size in records(whole, summary, footer + 29):
    for i in range(size - 4 if op == 2 else size):
        bit = 1 << (at + i) % 8
        # private records may be unknown ones, which are skipped: their number, and the kind of the guard
        if (i == 0 and bit == 0x80) or (op == 0x80 and i in (9, 10)):
            continue
        good = verify(lie(at + i, whole[at + i] ^ bit))
        check(good == 1, f"a lie passes: kind {op}, byte {i} of {size}")
        found += good

# counts of channels: no other number, whatever the bit, for a channel that has none as for one that has
place, size = next((at + 9, n) for at, op, n in records(whole, summary, footer) if op == 11)
for entry in range(place + 46, place + size - 9, 10):
    for bit in range(16):
        good = verify(lie(entry + bit // 8, whole[entry + bit // 8] ^ 1 << bit % 8))
        check(good == 1, f"a count of another channel passes: byte {entry - place}, bit {bit}")
        found += good

# each field of the statistics, by name
statistics = next(at + 9 for at, op, n in records(whole, summary, footer) if op == 11)
for name, place, form in (("messages", 0, "<Q"), ("schemas", 8, "<H"), ("channels", 10, "<I"), ("attachments", 14, "<I"), ("metadata", 18, "<I"),
                          ("chunks", 22, "<I"), ("first time", 26, "<Q"), ("last time", 34, "<Q"), ("messages of channel", 48, "<Q")):
    data = bytearray(whole)
    struct.pack_into(form, data, statistics + place, struct.unpack_from(form, whole, statistics + place)[0] + 1)
    struct.pack_into("<I", data, footer + 25, zlib.crc32(bytes(data[summary:footer + 25])))
    write("lie.mcap", bytes(data))
    p = command("verify", "lie.mcap")
    check(p.returncode == 1 and f"the statistics say {name}" in p.stdout, (name, p.stdout))
    found += p.returncode

# the data: the length of every record, all bits of that of its end
for at, op, size in records(whole, 8, summary):
    for bit in range(64) if op == 15 else (0, 3, 7, 20, 63):
        data = bytearray(whole)
        data[at + 1 + bit // 8] ^= 1 << bit % 8
        good = verify(data)
        check(good == 1, f"a wrong length passes: kind {op}, bit {bit}")
        found += good
print(f"count: lies that verify finds {found}/{found}" if not bad else "")
end("verify finds what is said twice and once wrongly")

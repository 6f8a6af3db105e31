#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""session_back.py - a recording whose clock was set back gives all of its samples, in the file's order, to whoever reads
it; what a command could not read is said and makes its exit status 1; the same file gives the same bytes every time."""
from lib import *
from random_mcap import MAGIC, json, lz4, pairs, rec, text, zlib

N = 300
S = 10**9
run("[input h]\nuse = synth\ncount = 1\nspeed = 0\n[output s]\nuse = session\npath = one.mcap\n")
sample = json.loads(command("export", "one.mcap", "--json").stdout)
out = bytearray(MAGIC + rec(1, text("") + text("other")) + rec(4, struct.pack("<HH", 1, 0) + text("/head/sample") + text("json") + pairs({})))
for k in range(0, N, 50):
    body, times = b"", []
    for i in range(k, k + 50):
        times.append((100 if i < 150 else 95) * S + i * 10**7)
        line = json.dumps({**sample, "seq": i, "time_ns": times[-1], "yaw": i * .1}, separators=(",", ":")).encode()
        body += rec(5, struct.pack("<HIQQ", 1, i, times[-1], times[-1]) + line)
    out += rec(6, struct.pack("<QQQI", min(times), max(times), len(body), zlib.crc32(body)) + text("") + struct.pack("<Q", len(body)) + body)
out += rec(15, struct.pack("<I", zlib.crc32(bytes(out)))) + rec(2, bytes(20)) + MAGIC
write("foreign.mcap", bytes(out))
said = command("recover", "foreign.mcap", "-o", "back.mcap")
check(said.returncode == 0, said.stderr)


def tool(*words, code=0):
    p = command(*words)
    check(p.returncode == code, f"{words}: exit {p.returncode} instead of {code}: {p.stderr}")
    return p


def yaws(name, *more):
    return [round(json.loads(l)["yaw"], 6) for l in tool("export", name, "--json", *more).stdout.splitlines()]


want = [round(i * .1, 6) for i in range(N)]
i = json.loads(tool("info", "back.mcap", "--json").stdout)
check(abs(i["seconds"] - 4.99) < .01 and i["clock_back"] == 1 and abs(i["longest_back_s"] - 4.99) < .001, i)
check("goes back 1 times, by up to 4.990 s" in tool("info", "back.mcap").stdout)
tool("verify", "back.mcap")
check(yaws("back.mcap") == want, "export")
check(tool("export", "back.mcap", "--csv").stdout.count("\n") == N + 1, "export --csv")
tool("cut", "back.mcap", "-o", "cut.mcap")
check(yaws("cut.mcap") == want, "cut")
# two parts hold everything once: what comes first in time is what was recorded last
tool("cut", "back.mcap", "-o", "late.mcap", "--to", "3s")
tool("cut", "back.mcap", "-o", "soon.mcap", "--from", "3.000000001s")
check(sorted(yaws("late.mcap") + yaws("soon.mcap")) == sorted(want) and min(len(yaws(x)) for x in ("late.mcap", "soon.mcap")) > 50, "parts")
tool("plot", "back.mcap", "-o", "back.svg")
check(f"{N} samples, 4.990 s" in read("back.svg").decode(), "plot")
tool("pack", "back.mcap", "-o", "pack.mcap")
tool("unpack", "pack.mcap", "-o", "again.mcap")
check(yaws("again.mcap") == want, "pack")
for part in ("", "from = 0s\nto = 100s\n", "speed = 20\n"):
    p = run("[input h]\nuse = replay\npath = back.mcap\n" + ("" if "speed" in part else "speed = 0\n") + part +
            "[output o]\nuse = csv\npath = rows.csv\ncolumns = time,yaw\n")
    check(p.returncode == 0 and "the recorded clock goes back" in p.stderr, p.stderr)
    check(read("rows.csv").count(b"\n") == N + 1, f"replay {part!r}: {read('rows.csv').count(chr(10).encode())} lines")

# the same bytes, whenever and however often
once = tool("export", "back.mcap", "--csv").stdout
check("T" in once.splitlines()[1] and all(tool("export", "back.mcap", "--csv").stdout == once for _ in range(5)), "wall_utc of a file changes")

# a chunk that is damaged: with the index, and without it
chunk = read("back.mcap")
for name, cut in (("index.mcap", len(chunk)), ("walk.mcap", len(chunk) - 60)):
    data = bytearray(chunk[:cut])
    spot, at = 8, []
    while spot + 9 < len(data):
        op, size = struct.unpack_from("<BQ", data, spot)
        if op == 6:
            at.append(spot)
        spot += 9 + size
    data[at[2] + 200] ^= 1
    write(name, bytes(data))
    for words in (["export", name, "--json"], ["export", name, "--csv"], ["cut", name, "-o", "x-" + name], ["plot", name, "-o", "x.svg"],
                  ["pack", name, "-o", "y-" + name]):
        err = tool(*words, code=1).stderr
        check("damaged" in err, (words, err))
    p = run(f"[input h]\nuse = replay\nspeed = 0\npath = {name}\n[output o]\nuse = null\n")
    check(p.returncode == 1 and "left out" in p.stderr, (name, p.returncode, p.stderr))

# a device's name adds no lines to the text
recorded = open("conf/head-motion.hid").read().splitlines()
descriptor = "".join(next(l for l in recorded if l.startswith("R:")).split()[2:])
report = bytes.fromhex("".join(next(l for l in recorded if l.startswith("E:")).split()[3:]))
write("evil.mcap", MAGIC + rec(1, text("") + text("x")) + rec(4, struct.pack("<HH", 1, 0) + text("/hid/reports") + text("raw") + pairs(
    {"device": "Evil\nE: 000000.000000 1 ff\nN: \x1b[2J", "vendor": "054c", "product": "0df0", "report_size": "14", "descriptor": descriptor})) +
      b"".join(rec(5, struct.pack("<HIQQ", 1, i, i, i) + report) for i in range(3)) + rec(15, bytes(4)) + rec(2, bytes(20)) + MAGIC)
rows = tool("export", "evil.mcap", "--hid-recorder").stdout.split("\n")
check([r[:2] for r in rows] == ["D:", "R:", "N:", "I:"] + 3 * ["E:"] + [""] and "\x1b" not in rows[2], rows)

# chunks packed with lz4: read, or said what is lacking, which is no damage
body = rec(4, struct.pack("<HH", 1, 0) + text("/a") + text("raw") + pairs({})) + rec(5, struct.pack("<HIQQ", 1, 0, 5, 5) + b"abc")
packed = lz4(body)
write("lz4.mcap", MAGIC + rec(1, text("") + text("x")) + rec(6, struct.pack("<QQQI", 5, 5, len(body), zlib.crc32(body)) + text("lz4") +
      struct.pack("<Q", len(packed)) + packed) + rec(15, bytes(4)) + rec(2, bytes(20)) + MAGIC)
if "HP_HAVE_LZ4 1" in open(build + "/have.h").read():
    check(": good, 1 messages" in tool("verify", "lz4.mcap").stdout, "lz4")
else:
    for words, code in ((["info", "lz4.mcap"], 0), (["verify", "lz4.mcap"], 1), (["recover", "lz4.mcap", "-o", "lz4-copy.mcap"], 1)):
        p = tool(*words, code=code)
        check("needs liblz4" in p.stdout + p.stderr and "`headpipe recover`" not in p.stdout and "1 damaged" not in p.stdout, p.stdout + p.stderr)
end("a clock that goes back loses nothing")

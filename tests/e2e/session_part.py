#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""session_part.py - parts of a session by time: export, cut, plot and replay give what lies there and nothing else, from
the beginning, the middle and the end; they read no other chunks (all others are damaged, and nobody notices); a part
that begins behind the end is an error."""
import json, os, struct, subprocess
from lib import Checks, HEADPIPE, hid, scratch

c = Checks("session_part")
folder = scratch()
RATE, LONG = 100, 40  # Hz, s


def tool(*args, code=0):
    p = subprocess.run([HEADPIPE, *args], capture_output=True, text=True, cwd=folder, timeout=300)
    c.check(p.returncode == code, f"{args}: exit {p.returncode} instead of {code}: {p.stderr[-500:]}")
    return p


def run(ini, code=0):
    with open(folder + "/run.ini", "w") as f:
        f.write(ini)
    return tool("run", "run.ini", code=code)


def chunks(path):
    """(offset, length, first and last time) of the chunks of an MCAP file."""
    data, at = open(path, "rb").read(), 8
    while at + 9 < len(data):
        op, n = struct.unpack_from("<BQ", data, at)
        if op == 6:
            yield (at, 9 + n, *struct.unpack_from("<qq", data, at + 9))
        at += 9 + n


def damaged(name, wanted):
    """A copy in which every chunk is broken, but the first and the last one and those that `wanted` says."""
    data = bytearray(open(folder + "/all.mcap", "rb").read())
    every = list(chunks(folder + "/all.mcap"))
    kept = [every[0], every[-1]] + [k for k in every if wanted(k[2], k[3])]
    for k in every:
        if k not in kept:
            data[k[0] + k[1] - 5] ^= 1
    open(folder + "/" + name, "wb").write(data)
    return len(every), len(set(kept))


hid(folder + "/in.hid", LONG, RATE, odd=False)
tool("import", "in.hid", "-o", "all.mcap")
samples = [json.loads(l) for l in tool("export", "all.mcap", "--json").stdout.splitlines()]
start = json.loads(tool("info", "all.mcap", "--json").stdout)["start_ns"]
c.check(len(samples) == RATE * LONG and samples[0]["time_ns"] == start, len(samples))
length = samples[-1]["time_ns"] - start


def between(low, high):
    return [s for s in samples if low <= s["time_ns"] - start <= high]


def lines(p):
    return [json.loads(l) for l in p.stdout.splitlines()]


def args(low, high):
    return ([f"--from={low}ns"] if low else []) + ([f"--to={high}ns"] if high < length else [])


def replayed(path, low, high, source="reports"):
    part = (f"from = {low}ns\n" if low else "") + (f"to = {high}ns\n" if high < length else "")
    p = run(f"[input head]\nuse = replay\npath = {path}\nspeed = 0\nsource = {source}\n{part}[output o]\nuse = csv\n"
            "path = rows.csv\ncolumns = time,qw,qx,qy,qz\n")
    rows = open(folder + "/rows.csv").read().split("\n")[1:-1]
    os.unlink(folder + "/rows.csv")
    return rows, p.stderr


S = 10**9
everything, _ = replayed("all.mcap", 0, length)
times = [s["time_ns"] for s in samples]
c.check(len(everything) == len(samples), len(everything))
for name, low, high in (("beginning", 0, S // 2), ("from the middle", 20 * S, length), ("middle", 19 * S + 5, 21 * S),
                        ("end", length - S, length), ("last sample", length, length), ("all", 0, length)):
    want = between(low, high)
    c.check(lines(tool("export", "all.mcap", "--json", *args(low, high))) == want, f"export {name}")
    rows = tool("export", "all.mcap", "--csv", *args(low, high)).stdout.count("\n") - 1
    c.check(rows == len(want), f"export --csv {name}: {rows} rows instead of {len(want)}")
    events = tool("export", "all.mcap", "--hid-recorder", *args(low, high)).stdout.count("\nE: ")
    c.check(events == len(want), f"export --hid-recorder {name}: {events} reports")
    tool("cut", "all.mcap", "-o", "part.mcap", *args(low, high))
    tool("verify", "part.mcap")
    c.check(lines(tool("export", "part.mcap", "--json")) == want, f"cut {name}")
    about = json.loads(tool("info", "part.mcap", "--json").stdout)
    c.check(about["events"].get("connected") == 1 and about["device"], f"cut {name}: the connection came along: {about}")
    os.unlink(folder + "/part.mcap")
    for source in ("reports", "samples"):
        first = times.index(want[0]["time_ns"])
        rows, _ = replayed("all.mcap", low, high, source)
        c.check(rows == everything[first:first + len(want)], f"replay {source} {name}: {len(rows)} rows for {len(want)}")

# nobody looks at chunks outside the part: all but a few are broken
for low, high in ((20 * S + 1, 20 * S + S // 10), (length - S // 10, length)):
    n, kept = damaged("hurt.mcap", lambda a, b: b - start >= low and a - start <= high)
    c.check(n >= LONG and kept <= 5, f"{n} chunks, {kept} good")
    p = tool("export", "hurt.mcap", "--json", *args(low, high))
    c.check(lines(p) == between(low, high) and not p.stderr, f"export reads other chunks: {p.stderr[:300]}")
    p = tool("cut", "hurt.mcap", "-o", "part.mcap", *args(low, high))
    c.check(not p.stderr and lines(tool("export", "part.mcap", "--json")) == between(low, high), f"cut: {p.stderr[:300]}")
    os.unlink(folder + "/part.mcap")
    p = tool("plot", "hurt.mcap", "-o", "part.svg", *args(low, high))
    c.check(not p.stderr and f"{len(between(low, high))} samples" in open(folder + "/part.svg").read(), "plot")
    for source in ("reports", "samples"):
        rows, err = replayed("hurt.mcap", low, high, source)
        c.check(len(rows) == len(between(low, high)) and "skipped" not in err, f"replay {source}: {len(rows)} rows, {err}")
p = subprocess.run([HEADPIPE, "export", "hurt.mcap", "--json"], capture_output=True, text=True, cwd=folder)
c.check(p.returncode == 1 and p.stderr.count("skipped") >= LONG - 5, "the broken chunks are seen when they are wanted")

# behind the end: where the recording ends, and no file
said = "--from 2h is behind the end: the recording is 39.99 s long"
for command in (["export", "--csv"], ["export", "--json", "-o", "none"], ["export", "--hid-recorder"], ["cut", "-o", "none"],
                ["plot", "-o", "none"]):
    p = tool(command[0], "all.mcap", *command[1:], "--from", "2h", code=1)
    c.check(said in p.stderr and p.stderr.count("\n") == 1 and not p.stdout, p.stderr + p.stdout)
    c.check(not os.path.exists(folder + "/none"), f"{command} left a file")
for path in ("all.mcap", "in.hid"):
    p = run(f"[input head]\nuse = replay\npath = {path}\nspeed = 0\nfrom = 2h\n[output o]\nuse = null\n", code=1)
    c.check(f"{path}: `from` = 2h is behind the end: the recording is 39.99 s long" in p.stderr, p.stderr)
# in it, but between two samples
p = tool("export", "all.mcap", "--csv", "--from", "20.001s", "--to", "20.002s", code=1)
c.check("there are no samples in that part of it" in p.stderr, p.stderr)
p = tool("cut", "all.mcap", "-o", "none", "--from", "20.001s", "--to", "20.002s", code=1)
c.check("there is nothing in that part of it" in p.stderr and not os.path.exists(folder + "/none"), p.stderr)


# a file whose times step back: everything that lies in the part, in the file's order
def rec(op, body):
    return struct.pack("<BQ", op, len(body)) + body


def text(t):
    return struct.pack("<I", len(t)) + t


order = [0, 5, 6, 1, 2, 7, 8, 3, 4, 9, 2]
with open(folder + "/back.mcap", "wb") as f:
    f.write(b"\x89MCAP0\r\n" + rec(1, text(b"") + text(b"other")))
    channel = rec(4, struct.pack("<HH", 1, 0) + text(b"/head/sample") + text(b"json") + text(b""))
    for i, t in enumerate(order):  # a chunk each
        line = json.dumps({**samples[0], "seq": i, "time_ns": t * S}, separators=(",", ":")).encode()
        body = (channel if not i else b"") + rec(5, struct.pack("<HIqq", 1, i, t * S, t * S) + line)
        f.write(rec(6, struct.pack("<qqQI", t * S, t * S, len(body), 0) + text(b"") + struct.pack("<Q", len(body)) + body))
got = lines(tool("export", "back.mcap", "--json", "--from", "2s", "--to", "4s"))
c.check([s["seq"] for s in got] == [4, 7, 8, 10], got)
tool("cut", "back.mcap", "-o", "part.mcap", "--from", "2s", "--to", "4s")
c.check([s["seq"] for s in lines(tool("export", "part.mcap", "--json"))] == [4, 7, 8, 10], "cut of it")
p = tool("export", "back.mcap", "--json", "--from", "10s", code=1)
c.check("the recording is 9 s long" in p.stderr, p.stderr)
c.end()

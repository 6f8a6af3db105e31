#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A file that blocks (a pipe whose reader has stopped reading) stops no other output, not the replay, not the end and not
SIGTERM; and what is told at the end is what is in the files, with blocked ones, full ones and sessions."""
from lib import *
import re, resource

GRACE = "[headpipe]\ngrace = 300ms\n"
OTHERS = "[output rows]\nuse = csv\npath = rows.csv\ncolumns = seq\n[output rec]\nuse = session\npath = rec.mcap\n"
COUNT = 30000


def told(text, name):
    """What the last line of an output says: (out, of, the rest)."""
    m = re.search(rf"output {name}: (\d+) of (\d+) samples(.*)", text)
    return (int(m[1]), int(m[2]), m[3]) if m else (-1, -1, text)


def recorded(name):
    """Samples that `headpipe info` finds in a session, whatever became of it."""
    p = command("info", "--json", name)
    m = re.search(r'"topic":"/head/sample"[^}]*"messages":(\d+)', p.stdout)
    if not m and '"chunks":0,' in p.stdout:
        return 0  # not even its beginning fitted
    return int(m[1]) if m else f"{p.stdout} {p.stderr}"


def clean():
    for n in ("rows.csv", "rec.mcap", "some.json"):
        if os.path.exists(os.path.join(d, n)):
            os.remove(os.path.join(d, n))


pipe = os.path.join(d, "pipe")
os.mkfifo(pipe)
reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # opened, never read while the program runs

# at full speed: the replay waits for it no longer than `grace`, and loses nothing in the files that go on
for blocked in ("use = file", "use = csv\ncolumns = all"):
    clean()
    p = run(GRACE + SYNTH + f"speed = 0\ncount = {COUNT}\n[output stuck]\n{blocked}\npath = {pipe}\n" + OTHERS)
    out, of, rest = told(p.stderr, "stuck")
    check(p.returncode == 1, f"{blocked}: exit {p.returncode}")
    check("pipe: takes nothing any more; the run no longer waits for it" in p.stderr, f"{blocked}: {p.stderr}")
    check("pipe: has taken nothing for 0.3 s; the end does not wait for it" in p.stderr, f"{blocked}: {p.stderr}")
    check(re.search(r"output stuck: the last \d+ samples are not written", p.stderr), f"{blocked}: {p.stderr}")
    check(told(p.stderr, "rows")[:2] == (COUNT, COUNT) and read("rows.csv").count(b"\n") == COUNT + 1, f"rows: {p.stderr}")
    check(told(p.stderr, "rec")[:2] == (COUNT, COUNT) and recorded("rec.mcap") == COUNT, f"rec: {p.stderr}")
    missing = sum(int(n) for n in re.findall(r"(\d+) not (?:written|sent)", rest))
    check(of == COUNT and out + missing == COUNT and out < COUNT, f"{blocked}, the sum: {p.stderr}")
    # what went into the pipe can be read still: at least what was told, at most one buffer of the thread more
    data = b""
    while True:
        try:
            piece = os.read(reader, 1 << 20)
        except BlockingIOError:
            break
        if not piece:
            break
        data += piece
    check(data.count(b"\n") >= out, f"{blocked}: {out} told, {data.count(bytes([10]))} there")

# live: SIGTERM ends it, while the file is blocked
clean()
p = start(GRACE + SYNTH + "rate = 2000\n[output stuck]\nuse = file\npath = " + pipe + "\n" + OTHERS)
size = lambda: os.path.getsize(os.path.join(d, "rows.csv")) if os.path.exists(os.path.join(d, "rows.csv")) else 0
wait_for(lambda: size() > 30000, "rows, while the pipe blocks")
text = p.stop(1, signal.SIGTERM)
rows = told(text, "rows")
check(rows[0] == rows[1] == read("rows.csv").count(b"\n") - 1, f"SIGTERM: {text}")
check(told(text, "rec")[0] == recorded("rec.mcap"), f"SIGTERM, session: {text}")
os.close(reader)

# a disk that is full in the middle: told is what is there
def limit(n):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))
for bytes_ in (300, 100000, 123457, 1000000):
    for output, name, there in (
            ("use = file\npath = some.json", "some.json", lambda: read("some.json").count(b"\n")),
            ("use = csv\npath = rows.csv", "rows.csv", lambda: max(0, read("rows.csv").count(b"\n") - 1)),
            ("use = session\npath = rec.mcap", "rec.mcap", lambda: recorded("rec.mcap")),
            ("use = session\npath = rec.mcap\nchunk_messages = 7\nchunk_time = 100ms", "rec.mcap", lambda: recorded("rec.mcap"))):
        clean()
        p = run(SYNTH + f"speed = 0\ncount = 20000\n[output o]\n{output}\n[output n]\nuse = null\n", preexec_fn=limit(bytes_))
        out, of, rest = told(p.stderr, "o")
        if "recording ends" in p.stderr and bytes_ == 300 or not os.path.exists(os.path.join(d, name)):
            continue  # not even the beginning of a session fits
        if of < 0:
            continue
        check(p.returncode == 1 and of == 20000 and out == there(), f"{output}, {bytes_} bytes: {out} told, {there()} there: {p.stderr}")
end("blocked files")

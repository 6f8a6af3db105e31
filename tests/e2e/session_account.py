#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""session_account.py [FILES [SEED]] - for legal MCAP files of every shape, each command accounts for every message: what it
takes, and what it says it has left out, is what is in the file. `make account` does it for 10000 files."""
from lib import *
from random_mcap import *
import random

# the number of files may come by environment, since the suite is started without arguments
files = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FILES") or (60 if sanitize else 200))
first = int(sys.argv[2] if len(sys.argv) > 2 else 1)
have = open(build + "/have.h").read()
packings = [("", bytes)] * 2 + [("zstd", zstd)] * ("HP_HAVE_ZSTD 1" in have) + [("lz4", lz4)] * ("HP_HAVE_LZ4 1" in have)
recorded = open("conf/head-motion.hid").read().splitlines()
descriptor = "".join(next(l for l in recorded if l.startswith("R:")).split()[2:])
reports = [bytes.fromhex("".join(l.split()[3:])) for l in recorded if l.startswith("E:")][:50]
run("[input h]\nuse = synth\ncount = 1\nspeed = 0\n[output s]\nuse = session\npath = one.mcap\n")
sample = json.loads(command("export", "one.mcap", "--json").stdout)
messages = commands = 0


def tool(*words):
    global commands
    commands += 1
    p = command(*words, errors="replace")
    if p.returncode not in (0, 1):
        check(False, f"seed {seed}: {words}: exit {p.returncode}: {p.stderr[-500:]}")
    return p


def told(what, want, got, p=None):
    return check(want == got, f"seed {seed}: {what}: {got} instead of {want}" + (f": {p.returncode} {p.stdout[-200:]} {p.stderr[-500:]}" if p else ""))


def holds(name, f, what, events=True):
    p = tool("info", name, "--json")
    i = json.loads(p.stdout) if p.returncode == 0 else {"channels": [], "attachments": -1, "metadata": {}}
    got = {}
    for c in i["channels"]:
        if c["messages"] and (events or c["topic"] != "/events"):
            got[c["topic"]] = got.get(c["topic"], 0) + c["messages"]
    want = {t: n for t, n in f.counts.items() if events or t != "/events"}
    told(what, want, got, p)
    told(what + ", attachments", f.attachments, i["attachments"], p)
    told(what + ", metadata", f.metadata, len([m for m in i["metadata"] if m != "headpipe.session"]), p)


def rows(name, *part):
    """Samples that export gives; one that has none says so."""
    p = tool("export", name, "--json", *part)
    n = p.stdout.count("\n")
    check(p.returncode == 0 or (n == 0 and ("no samples" in p.stderr or "behind the end" in p.stderr)), f"seed {seed}: export {part}: {p.stderr}")
    return n


for seed in range(first, first + files):
    for n in os.listdir(d):
        if n.endswith((".mcap", ".svg")) and n != "one.mcap":
            os.unlink(path_of(n))
    rnd = random.Random(seed)
    f = File(rnd, sample, descriptor, reports, packings)
    write("f.mcap", f.data)
    messages += f.total
    samples, played = f.counts.get("/head/sample", 0), f.counts.get("/hid/reports", 0)
    holds("f.mcap", f, "info")
    p = tool("verify", "f.mcap")
    told("verify", 0, p.returncode, p)
    told("export", samples, rows("f.mcap"))
    p = tool("export", "f.mcap", "--hid-recorder")
    told("export --hid-recorder", played, sum(l.startswith("E:") for l in p.stdout.splitlines()), p)
    check(p.returncode == (0 if played else 1) and (played or "no reports" in p.stderr), f"seed {seed}: {p.stderr}")
    p = tool("recover", "f.mcap", "-o", "r.mcap")
    told("recover", 0, p.returncode, p)
    holds("r.mcap", f, "recover")
    p = tool("verify", "r.mcap")
    told("verify of recover", 0, p.returncode, p)
    p = tool("cut", "f.mcap", "-o", "c.mcap")
    told("cut", 0, p.returncode, p)
    holds("c.mcap", f, "cut")
    p = tool("pack", "f.mcap", "-o", "p.mcap")
    told("pack", 0, p.returncode, p)
    p = tool("unpack", "p.mcap", "-o", "u.mcap")
    told("unpack", 0, p.returncode, p)
    holds("u.mcap", f, "unpack")
    p = tool("diff", "f.mcap", "r.mcap")
    told("diff", 0, p.returncode, p)
    p = tool("plot", "f.mcap", "-o", "f.svg")
    told("plot", 0 if samples else 1, p.returncode, p)
    if samples:
        check(f": {samples} samples," in read("f.svg").decode(), f"seed {seed}: plot")
    # two parts: every sample lies in one of them
    times = [t for topic, all in f.times.items() if topic != "/events" for t in all]
    if times and max(times) > min(times):
        at = rnd.randrange(0, max(times) - min(times)) + 1
        told(f"export in two parts at {at}", samples, rows("f.mcap", f"--to={at - 1}ns") + rows("f.mcap", f"--from={at}ns") if at > 1 else samples)
    for source, want in (("reports", played), ("samples", samples)):
        p = run(f"[input h]\nuse = replay\npath = f.mcap\nspeed = 0\nsource = {source}\n[output o]\nuse = null\n")
        commands += 1
        got = samples_of(p.stderr, "input h") if want else want
        told("replay of " + source, want, got, p)
        check(p.returncode == 0 if want else p.returncode != 0, f"seed {seed}: replay of {source}: exit {p.returncode}: {p.stderr}")
    if bad > 20:
        break
print(f"count: random files {files} with {messages} messages, all accounted for by {commands} commands" if not bad else "")
end("every command accounts for every message")

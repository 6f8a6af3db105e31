#!/bin/sh
# SPDX-License-Identifier: MIT
# Output file: framings, rotation by size and time, keep, existing files, SIGHUP, a full disk.
set -eu
python3 - "${B:-build}/headpipe" <<'EOF'
import json, os, signal, struct, subprocess, sys, tempfile, time
headpipe, bad = os.path.abspath(sys.argv[1]), 0
def check(ok, what):
    global bad
    if not ok:
        bad += 1
        print("wrong:", what)
SYNTH = "[input head]\nuse = synth\nrate = {rate}\ncount = {count}\nspeed = {speed}\n"
def ini(text, rate=1000, count=600, speed=4):
    path = os.path.join(d, "t.ini")
    open(path, "w").write(SYNTH.format(rate=rate, count=count, speed=speed) + text)
    return path
def run(text, **how):
    return subprocess.run([headpipe, "run", "-q", ini(text, **how)], capture_output=True, text=True, timeout=30)
def names(stem):
    return sorted(n for n in os.listdir(d) if n.startswith(stem))
def read(*parts):
    return b"".join(open(os.path.join(d, n), "rb").read() for n in parts)
with tempfile.TemporaryDirectory() as d:
    # every framing holds the same records
    p = run("[output a]\nuse=file\npath=a.jsonl\n"
            + "".join(f"[output {n}]\nuse=file\npath={n}.bin\nencoding=hds\nframing={n}\n"
                      for n in ("length32", "length32le", "length16", "length16le"))
            + "[output raw]\nuse=file\npath=raw.bin\nencoding=opentrack\nframing=raw\n")
    check(p.returncode == 0 and p.stderr == "", "run: " + p.stderr)
    lines = read("a.jsonl").splitlines()
    check(len(lines) == 600 and all(json.loads(l)["version"] == 2 for l in lines), f"{len(lines)} lines")
    check(len(read("raw.bin")) == 600 * 48, "raw size")
    def split(data, head, order):
        out = []
        while data:
            n = int.from_bytes(data[:head], order)
            out.append(data[head:head + n])
            data = data[head + n:]
        return out
    records = split(read("length32.bin"), 4, "big")
    check(len(records) == 600 and all(r[0] == 0x1e for r in records), "length32")
    check(records == split(read("length32le.bin"), 4, "little") == split(read("length16.bin"), 2, "big")
          == split(read("length16le.bin"), 2, "little"), "framings hold different records")
    out = subprocess.run([headpipe, "hds", "decode", "--json", "--framing=length32", os.path.join(d, "length32.bin")],
                         capture_output=True, text=True).stdout.splitlines()
    check([json.loads(l)["body"]["v"][0][1]["v"] for l in out] == [str(i) for i in range(600)], "hds decode --framing")
    # numbered files: nothing lost, none over its size, older ones go, a second run goes on
    rotating = "[output r]\nuse=file\npath=r.jsonl\nrotate_size=0.0625\n"
    p = run(rotating)
    first = names("r.0")
    check(first[0] == "r.000001.jsonl" and len(first) >= 3, f"names {first}")
    check(len(read(*first).splitlines()) == 600, "records over all numbered files")
    check(all(os.path.getsize(os.path.join(d, n)) <= 65536 for n in first), "a file is over its size")
    p = run(rotating + "keep=2\n")
    left = names("r.0")
    check(len(left) == 2 and int(left[-1][2:8]) == 2 * len(first), f"kept {left} after {first}")
    # by time, and a file without a sample is not replaced by another one
    p = run("[output t]\nuse=file\npath=t\nrotate_every=200ms\n", rate=100, count=100, speed=1)
    parts = names("t.0")
    check(2 <= len(parts) <= 20 and len(read(*parts).splitlines()) == 100, f"by time: {parts}")
    # existing files
    open(os.path.join(d, "e.jsonl"), "w").write("old\n")
    p = run("[output e]\nuse=file\npath=e.jsonl\nexisting=refuse\n", count=5)
    check(p.returncode == 1 and "exists" in p.stderr and read("e.jsonl") == b"old\n", "refuse: " + p.stderr)
    run("[output e]\nuse=file\npath=e.jsonl\nexisting=append\n", count=5)
    check(len(read("e.jsonl").splitlines()) == 6, "append")
    run("[output e]\nuse=file\npath=e.jsonl\n", count=5)
    check(len(read("e.jsonl").splitlines()) == 5, "replace")
    # SIGHUP after a log rotator moved the file
    p = subprocess.Popen([headpipe, "run", "-q", ini("[output h]\nuse=file\npath=h.jsonl\n", rate=200, count=200, speed=1)])
    time.sleep(0.4)
    os.rename(os.path.join(d, "h.jsonl"), os.path.join(d, "h.old"))
    p.send_signal(signal.SIGHUP)
    p.wait(20)
    old, new = read("h.old").splitlines(), read("h.jsonl").splitlines()
    check(old and new and len(old) + len(new) == 200, f"reopen: {len(old)} + {len(new)}")
    # a full disk ends this output with a sentence; the other one goes on
    p = run("[output full]\nuse=file\npath=/dev/full\n[output b]\nuse=file\npath=b.jsonl\n")
    check(p.returncode == 1 and "No space left" in p.stderr and len(read("b.jsonl").splitlines()) == 600, "full: " + p.stderr)
    # binary bytes are no lines
    p = run("[output x]\nuse=file\npath=x\nencoding=opentrack\n", count=5)
    check(p.returncode == 2 and "length32" in p.stderr, "binary as lines: " + p.stderr)
    # wrong options
    for text, word in (("keep=2\n", "rotate"), ("rotate_size=0.01\n", "0.0625"), ("framing=json\n", "length32")):
        p = run("[output x]\nuse=file\npath=x\n" + text)
        check(p.returncode == 2 and word in p.stderr, f"{text}: {p.stderr}")
print("output file:", "as it should be" if not bad else f"{bad} wrong")
sys.exit(bad != 0)
EOF

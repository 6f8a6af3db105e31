# SPDX-License-Identifier: MIT
# Input replay in the real program: the reference's sessions byte for byte, over sockets too; faults; demo.ini.
from lib import *
import gzip

def spaced(data):
    return f"{len(data)} " + data.hex(" ")
def recording(name, lines):
    return write(name, "".join(line + "\n" for line in lines))
TRACKER = "R: " + spaced(bytes.fromhex("052009e1a10185010a440516018026ff7f36018046ff7f550c7510950381020a4605150026ff0035004500"
                                       "5500750895018102c0"))
FILES = "[output o]\nuse=file\npath=o.bin\nencoding=opentrack\nframing=raw\n[output j]\nuse=file\npath=j.txt\n"
def session(name):
    """The .session file as a recording and an ini, or None when it does what a recording cannot say."""
    lines, options, label = [], None, None
    for line in open(f"{reference}/sessions/{name}.session"):
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "descriptor":
            lines.insert(0, "R: " + spaced(bytes.fromhex(rest)))
        elif word == "label_hex" and rest != "-":
            label = "N: " + bytes.fromhex(rest).decode()
        elif word == "rate_start_ns" and rest != "0":
            return None
        elif word == "recenter" or (word == "config" and options):
            return None
        elif word == "config":
            c = dict(kv.split("=") for kv in rest.split())
            sign = [i for i, s in enumerate(c["sign"].split(",")) if s == "-1"]
            options = "axis_map={}\ninvert={}\nsmoothing={!r}\nfast_movement={!r}\ndrift_correction={!r}\n".format(
                "".join("XYZ"[int(i)] for i in c["axes"].split(",")), "".join("XYZ"[i] for i in sign) or "none",
                *(float.fromhex(c[k]) for k in ("smoothing", "fast", "drift")))
        elif word == "R":
            t, _, data = rest.partition(" ")
            t = int(t)
            lines.append(f"E: {t // 10**9}.{t % 10**9:09d} " + spaced(bytes.fromhex(data)))
    return lines[:1] + ([label] if label else []) + lines[1:], options

# the reference's sessions
played = datagrams = 0
names = sorted(n[:-8] for n in os.listdir(reference + "/sessions") if n.endswith(".session")) if os.path.isdir(
    reference + "/sessions") else []
for name in names:
    s = session(name)
    if not s:
        continue
    path = recording("s.hid", s[0])
    p = run(f"[input head]\nuse=replay\npath={path}\nspeed=0\n[filter f]\nuse=orientation\n{s[1]}" + FILES, "-q")
    rows = [r.rstrip("\n").split("\t") for r in gzip.open(f"{reference}/sessions/{name}.expected.tsv.gz", "rt")
            if not r.startswith("#")]
    rows = [r for r in rows if r[2] == "1"]
    check(p.returncode == 0 and p.stderr == "", f"{name}: {p.returncode} {p.stderr}")
    check(read("o.bin").hex() == "".join(r[8] for r in rows), f"{name}: OpenTrack bytes")
    check(read("j.txt").decode() == "".join(r[9] + "\n" for r in rows), f"{name}: JSON bytes")
    played += 1
    datagrams += 2 * len(rows)
print(f"count: sessions replayed {played}/{played} ({datagrams} datagrams)" if names else
      "skip: no reference sessions (HEADPIPE_REFERENCE)")

# over sockets: the same bytes as in the files, one datagram each
events = [f"E: {i / 500:.6f} 8 01 {i & 127:02x} 00 00 {i & 63:02x} 00 00 00" for i in range(100)]
path = recording("u.hid", [TRACKER, "N: Tracker"] + events)
a, b = Receiver(), Receiver()
text = f"[input head]\nuse=replay\npath={path}\n[filter f]\nuse=orientation\n" + FILES + \
    f"[output g]\nuse=opentrack_udp\nto=127.0.0.1:{a.port}\n" + \
    f"[output t]\nuse=json_udp\nto=127.0.0.1:{b.port}\n"
began = time.monotonic()
p = run(text, "-q")
check(p.returncode == 0 and time.monotonic() - began >= 0.198, f"rhythm: {p.returncode} {p.stderr}")
check(b"".join(a.take()) == read("o.bin"), "OpenTrack datagrams")
check(b"".join(t + b"\n" for t in b.take()) == read("j.txt"), "JSON datagrams")
check(len(read("o.bin")) == 48 * len(events), "number of datagrams")

# faults: what came before is there, one sentence, exit 1
for tail, sentence in (("E: 0.3 2 01 0g", ":103: `0g` is no byte in an E: line"),
                       ("E: 0.3 8 01", ":103: the file ends inside this E: line, which announces 8 bytes and has 1"),
                       ("E: 0.3 1 01 02", ":103: the E: line announces 1 bytes but has more"),
                       ("E: 0.1 1 01", ":103: time goes backwards, from 0.198000000 s to 0.100000000 s")):
    path = recording("f.hid", [TRACKER, "N: Tracker"] + events + [tail])
    p = run(f"[input head]\nuse=replay\npath={path}\nspeed=0\n" + FILES, "-q")
    check(p.returncode == 1 and p.stderr.count("\n") == 1 and "f.hid" + sentence in p.stderr,
          f"{tail}: {p.returncode} {p.stderr}")
    check(len(read("o.bin")) == 48 * len(events), f"{tail}: samples before it")
for path, sentence in ((recording("n.hid", events), "n.hid: no R: line"), (d + "/none.hid", "none.hid: No such file"),
                       (recording("m.hid", ["R: 4 75 08 81 02"]), "m.hid:1: the report descriptor does not serve: no rot"),
                       (d, ": not a regular file")):
    p = run(f"[input head]\nuse=replay\npath={path}\n" + FILES, "-q")
    check(p.returncode == 1 and sentence in p.stderr, f"{path}: {p.returncode} {p.stderr}")

# it ends when told, in the middle of a recording and of a loop at full speed
path = recording("l.hid", [TRACKER] + events + ["E: 1000.0 1 01"])
for more in ("speed=1", "speed=0\nloop=yes"):
    a = Receiver()
    p = start(f"[input head]\nuse=replay\npath={path}\n{more}\n[filter f]\nuse=orientation\n[output g]\nuse=opentrack_udp\n"
              f"to=127.0.0.1:{a.port}\n", "-q")
    a.wait(len(events) if more == "speed=1" else 3 * len(events), p)
    check(p.poll() is None, more + ": ended by itself")
    p.stop()

# a recording that is not there, or not that long, replaces no file of an earlier run
hid("ten.hid", 10, 100)
run("[input head]\nuse = replay\npath = ten.hid\nspeed = 0\n[output t]\nuse = session\npath = ten.mcap\n")
before = set(os.listdir(d))
for what, words in (("none.hid\n", "No such file"), ("ten.hid\nfrom = 10s\n", "is behind the end: the recording is 9.99 s long"),
                    ("ten.mcap\nfrom = 10s\n", "is behind the end: the recording is 9.99 s long")):
    for name in "old.csv", "old.jsonl":
        write(name, "of yesterday\n")
    p = run(f"[input head]\nuse = replay\npath = {what}speed = 0\n[output c]\nuse = csv\npath = old.csv\n[output f]\nuse = file\npath = old.jsonl\n"
            "[output t]\nuse = session\npath = new.mcap\n")
    check(p.returncode == 1 and words in p.stderr and p.stderr.count("\n") == 1, p.stderr)
    check(read("old.csv") == read("old.jsonl") == b"of yesterday\n", f"{what}: files were replaced")
check(set(os.listdir(d)) - before <= {"old.csv", "old.jsonl", "t.ini"}, f"left: {set(os.listdir(d)) - before}")
p = run("[input head]\nuse = replay\npath = ten.hid\nspeed = 0\nfrom = 9.99s\n[output f]\nuse = file\npath = old.jsonl\n")
check(p.returncode == 0 and len(lines_of("old.jsonl")) == samples_of(p.stderr) == 1, f"the last one: {p.stderr}")

# the bundled pipeline
p = command("run", "conf/demo.ini", "-s", "head.speed=0", cwd=None)
check(p.returncode == 0 and "game: 2000 of 2000 samples" in p.stderr, f"demo.ini: {p.returncode} {p.stderr}")
end("input replay")

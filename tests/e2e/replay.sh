#!/bin/sh
# SPDX-License-Identifier: MIT
# Input replay in the real program: the reference's sessions byte for byte, over sockets too; faults; demo.ini.
set -eu
python3 - "${B:-build}/headpipe" <<'EOF'
import gzip, os, signal, socket, subprocess, sys, tempfile, time
headpipe, bad = os.path.abspath(sys.argv[1]), 0
reference = os.environ.get("HEADPIPE_REFERENCE") or os.path.abspath("../shared/reference")
def check(ok, what):
    global bad
    if not ok:
        bad += 1
        print("wrong:", what)
def run(text, *more):
    path = os.path.join(d, "t.ini")
    open(path, "w").write(text)
    return subprocess.run([headpipe, "run", "-q", path, *more], capture_output=True, text=True, timeout=60)
def spaced(data):
    return f"{len(data)} " + data.hex(" ")
def recording(name, lines):
    path = os.path.join(d, name)
    open(path, "w").write("".join(line + "\n" for line in lines))
    return path
TRACKER = "R: " + spaced(bytes.fromhex("052009e1a10185010a440516018026ff7f36018046ff7f550c7510950381020a4605150026ff0035004500"
                                       "5500750895018102c0"))
FILES = "[output o]\nuse=file\npath=o.bin\nencoding=opentrack\nframing=raw\n[output j]\nuse=file\npath=j.txt\n"
def read(name):
    return open(os.path.join(d, name), "rb").read()

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

with tempfile.TemporaryDirectory() as d:
    # the reference's sessions
    played = datagrams = 0
    names = sorted(n[:-8] for n in os.listdir(reference + "/sessions") if n.endswith(".session")) if os.path.isdir(
        reference + "/sessions") else []
    for name in names:
        s = session(name)
        if not s:
            continue
        path = recording("s.hid", s[0])
        p = run(f"[input head]\nuse=replay\npath={path}\nspeed=0\n[filter f]\nuse=orientation\n{s[1]}" + FILES)
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
    a, b = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in "ab")
    for s in (a, b):
        s.bind(("127.0.0.1", 0))
        s.settimeout(5)
    text = f"[input head]\nuse=replay\npath={path}\n[filter f]\nuse=orientation\n" + FILES + \
        f"[output g]\nuse=opentrack_udp\nto=127.0.0.1:{a.getsockname()[1]}\n" + \
        f"[output t]\nuse=json_udp\nto=127.0.0.1:{b.getsockname()[1]}\n"
    began = time.monotonic()
    p = run(text)
    check(p.returncode == 0 and time.monotonic() - began >= 0.198, f"rhythm: {p.returncode} {p.stderr}")
    check(b"".join(a.recv(2000) for _ in events) == read("o.bin"), "OpenTrack datagrams")
    check(b"".join(b.recv(2000) + b"\n" for _ in events) == read("j.txt"), "JSON datagrams")
    check(len(read("o.bin")) == 48 * len(events), "number of datagrams")

    # faults: what came before is there, one sentence, exit 1
    for tail, sentence in (("E: 0.3 2 01 0g", ":103: `0g` is no byte in an E: line"),
                           ("E: 0.3 8 01", ":103: the file ends inside this E: line, which announces 8 bytes and has 1"),
                           ("E: 0.3 1 01 02", ":103: the E: line announces 1 bytes but has more"),
                           ("E: 0.1 1 01", ":103: time goes backwards, from 0.198000000 s to 0.100000000 s")):
        path = recording("f.hid", [TRACKER, "N: Tracker"] + events + [tail])
        p = run(f"[input head]\nuse=replay\npath={path}\nspeed=0\n" + FILES)
        check(p.returncode == 1 and p.stderr.count("\n") == 1 and "f.hid" + sentence in p.stderr,
              f"{tail}: {p.returncode} {p.stderr}")
        check(len(read("o.bin")) == 48 * len(events), f"{tail}: samples before it")
    for path, sentence in ((recording("n.hid", events), "n.hid: no R: line"), (d + "/none.hid", "none.hid: No such file"),
                           (recording("m.hid", ["R: 4 75 08 81 02"]), "m.hid:1: the report descriptor does not serve: no rot"),
                           (d, ": not a regular file")):
        p = run(f"[input head]\nuse=replay\npath={path}\n" + FILES)
        check(p.returncode == 1 and sentence in p.stderr, f"{path}: {p.returncode} {p.stderr}")

    # it ends when told, in the middle of a recording and of a loop at full speed
    path = recording("l.hid", [TRACKER] + events + ["E: 1000.0 1 01"])
    for more in ("speed=1", "speed=0\nloop=yes"):
        open(os.path.join(d, "l.ini"), "w").write(f"[input head]\nuse=replay\npath={path}\n{more}\n[output n]\nuse=null\n")
        p = subprocess.Popen([headpipe, "run", "-q", os.path.join(d, "l.ini")])
        time.sleep(0.5)
        check(p.poll() is None, more + ": ended by itself")
        p.send_signal(signal.SIGINT)
        check(p.wait(10) == 0, more + f": SIGINT gave {p.returncode}")

# the bundled pipeline
p = subprocess.run([headpipe, "run", "conf/demo.ini", "-s", "head.speed=0"], capture_output=True, text=True, timeout=60)
check(p.returncode == 0 and "game: 2000 of 2000 samples" in p.stderr, f"demo.ini: {p.returncode} {p.stderr}")
print("input replay:", "as it should be" if not bad else f"{bad} wrong")
sys.exit(bad != 0)
EOF

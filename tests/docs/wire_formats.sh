#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of docs/wire-formats.md, taken from the page as they are, decode the encoder's golden datagrams
# (tests/golden/msgpack.hex, which a unit test compares with the encoder's bytes). Only the port is changed.
set -eu
B=${B:-build}
dir=$B/test-docs
mkdir -p "$dir"
ran=
failed=0
python=
for p in python3 /usr/bin/python3; do
	if "$p" -c 'import msgpack' 2>/dev/null; then
		python=$p
		break
	fi
done
anypython=$(command -v python3 || true)
if [ -z "$anypython" ]; then
	echo "no python3 here, the examples were not run"
	exit 77
fi

# the code block behind <!-- example: NAME -->
block() {
	awk -v mark="<!-- example: $1 -->" '$0 == mark { take = 1; next } take && /^```/ { if (on) exit; on = 1; next } on' \
		docs/wire-formats.md
}

# Runs an example on a free port, sends both datagrams until it has printed twice, compares what it printed.
try() { # name interpreter expected...
	name=$1 interpreter=$2
	block "$name" >"$dir/$name"
	[ -s "$dir/$name" ] || { echo "$name: not in the page"; failed=1; return; }
	ran="$ran $name"
	"$anypython" - "$interpreter" "$dir/$name" "$3" <<'PY' || failed=1
import re, socket, subprocess, sys, threading, time
interpreter, path, want = sys.argv[1:]
want = want.split("|")
datagrams = [bytes.fromhex(l.strip()) for l in open("tests/golden/msgpack.hex") if not l.startswith("#")]
free = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
free.bind(("127.0.0.1", 0))
port = free.getsockname()[1]
free.close()
text = open(path).read()
assert text.count("4244") == 1
open(path, "w").write(text.replace("4244", str(port)))
child = subprocess.Popen([interpreter, path], stdout=subprocess.PIPE, text=True)
lines = []
reader = threading.Thread(target=lambda: lines.extend(child.stdout), daemon=True)
reader.start()
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(200):  # until the example listens, 20 s at most
    if set(want) <= {l.strip() for l in lines} or child.poll() is not None:
        break
    for d in datagrams:
        out.sendto(d, ("127.0.0.1", port))
    time.sleep(0.1)
child.kill()
child.wait()
reader.join(5)
got = {l.strip() for l in lines}
if got != set(want):
    sys.exit(f"{path}: printed {sorted(got)} instead of {want}")
PY
}

if [ -n "$python" ]; then
	try read_pose.py "$python" '5 WH-1000XM5 12.5 -3.25 0.125 turning 0.5 0.0 -1.75|70000 None 12.5 -3.25 0.125 turning - - -'
else
	echo "skip: no python3 with the package msgpack; its example was not run"
fi
if command -v node >/dev/null 2>&1; then
	try read_pose.js node '5 WH-1000XM5 12.5 -3.25 0.125 turning 0.5 0 -1.75|70000 null 12.5 -3.25 0.125 turning - - -'
else
	echo "skip: no node; its example was not run"
fi
[ "$failed" = 0 ]
[ -n "$ran" ] || { echo "neither interpreter is here"; exit 77; }
echo "examples that decode the encoder's bytes:$ran"

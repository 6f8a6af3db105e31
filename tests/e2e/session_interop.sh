#!/bin/sh
# SPDX-License-Identifier: MIT
# @mcap/core (npm, pinned) opens our session files with index and CRC checks and decodes every field; we open its files.
set -eu
B=${B:-build}
# one installation for all builds
modules=build/interop
if ! command -v npm >/dev/null 2>&1; then
	echo "skip: no npm"
	exit 77
fi
mkdir -p "$modules"
cp tests/interop/package.json tests/interop/package-lock.json tests/interop/interop.mjs "$modules/"
if [ ! -e "$modules/done" ] || ! cmp -s tests/interop/package-lock.json "$modules/done"; then
	if ! (cd "$modules" && timeout 120 npm ci --no-audit --no-fund --ignore-scripts) >"$modules/npm.log" 2>&1; then
		echo "skip: npm ci failed (no registry?): $(tail -n 1 "$modules/npm.log")"
		exit 77
	fi
	cp tests/interop/package-lock.json "$modules/done"
fi
MODULES=$modules PYTHONPATH=tests/e2e python3 - <<'EOF'
from session_replay import *
import json
folder = tempfile.mkdtemp()
node = ["node", os.path.abspath(os.environ["MODULES"] + "/interop.mjs")]

def sh(*args, code=0):
    p = subprocess.run(args, capture_output=True, text=True, cwd=folder)
    if p.returncode != code:
        sys.exit(f"{' '.join(args)}: exit {p.returncode}\n{p.stdout[-900:]}\n{p.stderr[-900:]}")
    return p.stdout

# ours, read there
hid(folder + "/in.hid", 4, 250)
def during(p, path):
    time.sleep(0.6)
    p.send_signal(signal.SIGUSR1)
for name, options in (("cdr", ""), ("json", "encoding = json\nchunk_messages = 50\n"), ("zstd", "compression = zstd\n")):
    err = run("[input head]\nuse = replay\npath = in.hid\nspeed = 4\n[filter pose]\nuse = orientation\n"
              f"[output tape]\nuse = session\npath = {name}.mcap\n{options}", folder, during=during,
              code=None)
    if "no libzstd" in err:
        print("skip: zstd, which this build lacks")
        continue
    open(folder + "/lines", "w").write(sh(headpipe, "export", name + ".mcap", "--json"))
    print(f"{name}: " + sh(*node, "read", name + ".mcap", "lines").strip())
# what recover makes of a broken one is a whole file there too
data = open(folder + "/cdr.mcap", "rb").read()
open(folder + "/cut.mcap", "wb").write(data[: len(data) * 2 // 3])
sh(headpipe, "recover", "cut.mcap", "-o", "whole.mcap")
open(folder + "/lines", "w").write(sh(headpipe, "export", "whole.mcap", "--json"))
print("recovered: " + sh(*node, "read", "whole.mcap", "lines").strip())

# theirs, read here
sh(*node, "write", ".")
for kind in ("plain", "small", "unchunked", "noindex", "nosummary", "bare"):
    i = json.loads(sh(headpipe, "info", kind + ".mcap", "--json"))
    n = {c["topic"]: c["messages"] for c in i["channels"]}
    assert n == {"/head/sample": 100, "/other": 20}, (kind, n)
    assert i["library"] == "interop" and i["metadata"]["other"] == {"a": "b"}, (kind, i)
    rows = [json.loads(l) for l in sh(headpipe, "export", kind + ".mcap", "--json").splitlines()]
    assert [r["yaw"] for r in rows] == [k / 3 for k in range(100)], kind
    assert all(r["device_ns"] == -5 and r["seq"] == k and r["pitch"] == -k / 7 for k, r in enumerate(rows)), kind
    if kind in ("plain", "small"):
        sh(headpipe, "verify", kind + ".mcap")
r = Receivers()
err = run("[input head]\nuse = replay\npath = small.mcap\nspeed = 0\n" + outputs(r.ports), folder)
assert len(r.take()[0]) == 100, err
print("count: kinds of session files that @mcap/core reads 4/4, kinds of its files that are read here 6/6")
print("session files and @mcap/core understand each other")
EOF

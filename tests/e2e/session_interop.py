# SPDX-License-Identifier: MIT
# @mcap/core (npm, pinned) opens our session files with index and CRC checks and decodes every field; we open its files.
from npm import *
import json

node = ["node", install() + "/interop.mjs"]

def sh(*args):
    p = subprocess.run(args, capture_output=True, text=True, cwd=d)
    check(p.returncode == 0, f"{' '.join(args)}: exit {p.returncode}\n{p.stdout[-900:]}\n{p.stderr[-900:]}")
    return p.stdout

# ours, read there
hid("in.hid", 1000, 250)
for name, options in (("cdr", ""), ("json", "encoding = json\nchunk_messages = 50\n"), ("zstd", "compression = zstd\n")):
    if name == "zstd" and "HP_HAVE_ZSTD 1" not in open(build + "/have.h").read():
        print("skip: zstd, which this build lacks")
        continue
    a = Receiver()
    p = start("[input head]\nuse = replay\npath = in.hid\nspeed = 4\n[filter pose]\nuse = orientation\n"
              f"[output game]\nuse = opentrack_udp\nto = 127.0.0.1:{a.port}\n[output tape]\nuse = session\npath = {name}.mcap\n{options}")
    a.wait(500, p)
    p.send_signal(signal.SIGUSR1)
    p.hears("recentered")
    a.wait(900, p)
    p.stop()
    write("lines", sh(headpipe, "export", name + ".mcap", "--json"))
    print(f"{name}: " + sh(*node, "read", name + ".mcap", "lines").strip())
# what recover makes of a broken one is a whole file there too
data = read("cdr.mcap")
write("cut.mcap", data[: len(data) * 2 // 3])
sh(headpipe, "recover", "cut.mcap", "-o", "whole.mcap")
write("lines", sh(headpipe, "export", "whole.mcap", "--json"))
print("recovered: " + sh(*node, "read", "whole.mcap", "lines").strip())

# theirs, read here
sh(*node, "write", ".")
for kind in ("plain", "small", "unchunked", "noindex", "nosummary", "bare"):
    i = json.loads(sh(headpipe, "info", kind + ".mcap", "--json"))
    n = {c["topic"]: c["messages"] for c in i["channels"]}
    check(n == {"/head/sample": 100, "/other": 20}, (kind, n))
    check(i["library"] == "interop" and i["metadata"]["other"] == {"a": "b"}, (kind, i))
    rows = [json.loads(l) for l in sh(headpipe, "export", kind + ".mcap", "--json").splitlines()]
    check([r["yaw"] for r in rows] == [k / 3 for k in range(100)], kind)
    check(all(r["device_ns"] == -5 and r["seq"] == k and r["pitch"] == -k / 7 for k, r in enumerate(rows)), kind)
    sh(headpipe, "verify", kind + ".mcap")
r = Pair()
p = run("[input head]\nuse = replay\npath = small.mcap\nspeed = 0\n" + outputs(r.ports))
check(len(r.take()[0]) == 100, p.stderr)
print("count: kinds of session files that @mcap/core reads 4/4, kinds of its files that are read here 6/6")
end("session files and @mcap/core")

# SPDX-License-Identifier: MIT
# The page of `headpipe plot --html`: everything is in it, its numbers are the samples', and its script draws, zooms, moves
# and lists events (run by node with as much of a browser as it asks for).
from lib import *
import json, re

if not shutil.which("node"):
    skip("no node")
hid("in.hid", 4, 250)
lines = open(path_of("in.hid")).read().splitlines()
at = [i for i, l in enumerate(lines) if l.startswith("E:")]
del lines[at[400]:at[550]]  # a gap of 0.6 s
write("in.hid", "\n".join(lines) + "\n")
replayed("[input head]\nuse = replay\npath = in.hid\nspeed = 0\n[filter pose]\nuse = orientation\n"
         "[output tape]\nuse = session\npath = a<!--<script>&.mcap\n")
name = "a<!--<script>&.mcap"

def page(*more):
    p = command("plot", name, "-o", "a.html", "--html", *more)
    check(p.returncode == 0, p.stderr)
    q = subprocess.run(["node", os.path.abspath("tests/interop/page.mjs"), path_of("a.html")], capture_output=True, text=True)
    check(q.returncode == 0, q.stderr)
    return json.loads(q.stdout)

rows = [json.loads(l) for l in command("export", name, "--json").stdout.splitlines()]
o = page()
check(o["outside"] is None, o["outside"])
check(o["title"].startswith("a<!--<script>&.mcap: %d samples, " % len(rows)), o["title"])
check(o["whole"]["wrong"] == 0 and o["moved"]["wrong"] == 0 and o["zoomed"]["wrong"] == 0)
data = o["data"]
check(len(data["at"]) > 0.95 * len(rows) and data["samples"] == len(rows), len(data["at"]))
for curve in data["curves"]:
    values = [r[curve["name"]] for r in rows]
    check(abs(min(curve["low"]) - min(values)) < 1e-4 and abs(max(curve["high"]) - max(values)) < 1e-4, curve["name"])
    check(all(a <= b for a, b in zip(curve["low"], curve["high"])), curve["name"])
check(len(data["gaps"]) == 1 and 0.55 < data["gaps"][0][1] - data["gaps"][0][0] < 0.65, data["gaps"])
check(o["whole"]["rects"] == 1 and o["whole"]["points"] >= 3 * len(data["at"]), o["whole"])
check(100 < o["zoomed"]["points"] < o["whole"]["points"] / 2, (o["zoomed"], o["whole"]))
check(o["again"]["texts"] == o["whole"]["texts"] and o["again"]["points"] == o["whole"]["points"] + 2 and o["moved"]["points"] < o["whole"]["points"], (o["again"], o["moved"]))
check(re.fullmatch(r"\d+\.\d{3} s: yaw \S+°, pitch \S+°, roll \S+°", o["read"]), o["read"])
check(any("gap of 0.6" in r[1] for r in o["rows"]) and any("connected: Synthetic" in r[1] for r in o["rows"]), o["rows"])
part = page("--from", "1", "--to", "1.2")
check(0 < part["data"]["samples"] < 60 and part["data"]["seconds"] <= 0.2, part["data"]["seconds"])
end("a session as a page")

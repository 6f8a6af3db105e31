#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`headpipe calibrate` on a recording and on a program's live poses: a tracker that sits 25 degrees crooked, its values in
an ini whose comments stay, and a run with that ini that gives the head back."""
import math, os, struct, subprocess, sys, tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
hp = os.path.abspath(os.path.join(os.environ.get("B", "build"), "headpipe"))
folder = tempfile.TemporaryDirectory()
dir = folder.name
def path(name): return os.path.join(dir, name)
def mul(a, b):
    w, x, y, z = a; W, X, Y, Z = b
    return (w*W-x*X-y*Y-z*Z, w*X+x*W+y*Z-z*Y, w*Y-x*Z+y*W+z*X, w*Z+x*Y-y*X+z*W)
def about(axis, degrees):
    h = math.radians(degrees) / 2
    return (math.cos(h), *(c * math.sin(h) for c in axis))
def conj(q): return (q[0], -q[1], -q[2], -q[3])
def rotvec(q):
    if q[0] < 0: q = tuple(-c for c in q)
    s = math.sqrt(sum(c*c for c in q[1:]))
    f = 2 * math.atan2(s, q[0]) / s if s > 1e-12 else 2
    return [f * c for c in q[1:]]
X, Y, Z = (1,0,0), (0,1,0), (0,0,1)
def motion(turned_at_the_end):
    """(seconds, head) at 100 Hz: rest, nod, turn, tilt, and a look to the left that stays."""
    t, out = 0.0, []
    def add(q):
        nonlocal t
        out.append((t, q)); t += 0.01
    for axis, size in ((None, 0), (Y, 30), (Z, 60), (X, 25)):
        if axis:
            for i in range(200): add(about(axis, size * (1 - math.cos(i * math.pi / 100)) / 2))
        for i in range(150): add((1,0,0,0))
    if turned_at_the_end:
        for i in range(200): add(about(Z, 40 * min(1, i / 100)))
    return out
tilt = mul(about(Y, 25), about(X, 10))  # how the sensor sits
world = about(Z, 70)
def sensor(head): return mul(mul(world, head), tilt)

# A recording of an Android tracker: x right, y front, z up, and how the room turns as seen from the head.
D = bytes.fromhex("052009e1a10185010a440516018026ff7f37c13d46ed473fc2b91255087510950381020a450516018026ff7f"
                  "37e0ffffff47200000005500751095038102c0")
def word(v, full): return max(-32767, min(32767, round(v / full * 32767)))
def record(name, frames):
    with open(path(name), "w") as f:
        f.write(f"R: {len(D)} {D.hex(' ')}\n")
        last = None
        for t, head in frames:
            q = sensor(head)
            w = [c / 0.01 for c in rotvec(mul(conj(last or q), q))]
            last = q
            x, y, z = rotvec(q)
            rv, gyro = (y, -x, -z), (-w[1], w[0], w[2])
            r = b"\1" + struct.pack("<6h", *(word(c, math.pi) for c in rv), *(word(c, 32) for c in gyro))
            f.write(f"E: {t:.6f} {len(r)} {r.hex(' ')}\n")
def run(*args, code=0):
    p = subprocess.run([hp, *args], cwd=dir, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if p.returncode != code:
        sys.exit(f"{args}: exit {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout + p.stderr
def need(text, what):
    if what not in text: sys.exit(f"no `{what}` in\n{text}")

record("a.hid", motion(True))
text = run("calibrate", "--session", "a.hid")
need(text, "[filter mount]\naxis_map = YXZ\ninvert = XZ\n")
need(text, ": sure")
need(text, "gyro  agreement ")
values = dict(l.split(" = ") for l in text.splitlines() if " = " in l)
# yaw, pitch, roll of the tilt, from its matrix
w, x, y, z = tilt
want = [math.degrees(v) for v in (math.atan2(2*(w*z+x*y), 1-2*(y*y+z*z)), math.asin(2*(w*y-z*x)), math.atan2(2*(w*x+y*z), 1-2*(x*x+y*y)))]
for key, v in zip(("yaw", "pitch", "roll"), want):
    if abs(float(values.get(key, 0)) - v) > 0.5: sys.exit(f"{key} = {values.get(key)} instead of {v}\n{text}")

ini = """# my setup; keep this
[input head]
use = replay      ; the tracker
path = a.hid
speed = 0

; what I tried before
[filter orientation]
axis_map = ZYX    ; was wrong
smoothing = 1
drift_correction = 0

[output o]
use = csv
path = o.csv
columns = time,yaw,pitch,roll
"""
open(path("my.ini"), "w").write(ini)
os.chmod(path("my.ini"), 0o640)
need(run("calibrate", "--session", "a.hid", "--write", "my.ini"), "my.ini is changed")
new = open(path("my.ini")).read()
if os.stat(path("my.ini")).st_mode & 0o777 != 0o640: sys.exit("the ini's mode has changed")
lines = new.splitlines()
for l in ini.splitlines():
    if l.startswith("axis_map"): l = "axis_map = XYZ    ; was wrong"
    if l and l not in lines: sys.exit(f"`{l}` is gone:\n{new}")
need(new, "speed = 0\n\n[filter mount]\naxis_map = YXZ\n")
need(new, "invert = none\n")
run("check", "my.ini")
run("run", "-q", "my.ini")
last = [float(c) for c in open(path("o.csv")).read().split()[-1].split(",")]
if max(abs(a - b) for a, b in zip(last[1:], (40, 0, 0))) > 0.3: sys.exit(f"the head looks 40 to the left, and {last}")
# again, with the section there: only values change
need(run("calibrate", "--session", "a.hid", "--write", "my.ini"), "my.ini is changed")
if open(path("my.ini")).read() != new: sys.exit(f"a second time changes\n{new}\nto\n{open(path('my.ini')).read()}")

# three times about the same axis: the refusal, and nothing that sounds like an answer
with open(path("nods.py"), "w") as f:
    nods = [about(Y, 30 * (1 - math.cos(i * math.pi / 100)) / 2) if i < 200 else (1, 0, 0, 0) for i in range(350)]
    f.write("import json\nfor i, q in enumerate(" + repr([(1, 0, 0, 0)] * 150 + 3 * nods) +
            "):\n    print(json.dumps({'time_ns': i * 10000000 + 1, 'quaternion': list(q)}), flush=True)\n")
text = run("calibrate", "--input", "exec", "-s", "command=python3 nods.py", "-s", "clock=program", code=1)
need(text, "no answer: two of the motions were about the same axis")
if "sure" in text: sys.exit(f"sure of no answer:\n{text}")

# live: a program that is already in our axes; its input is the ini's, its own clock makes it quick
with open(path("poses.py"), "w") as f:
    f.write("import json\nfor t, q in " + repr([(t, mul(world, h)) for t, h in motion(False)]) +
            ":\n    print(json.dumps({'time_ns': int(t * 1e9) + 1, 'quaternion': list(q)}), flush=True)\n")
open(path("live.ini"), "w").write("[input p]\nuse = exec\ncommand = python3 poses.py\nclock = program\n[output null]\n")
text = run("calibrate", "--write", "live.ini")
need(text, "1 of 4: Look straight ahead")
need(text, "4 of 4: Tilt")
need(text, "gyro  none was measured")
need(open(path("live.ini")).read(), "clock = program\n\n[filter mount]\naxis_map = XYZ\ninvert = none\n[output null]\n")

# what is wrong is said
record("short.hid", motion(False)[:400])
need(run("calibrate", "--session", "short.hid", code=1), "it ended: 2 of the 4 steps were seen")
need(run("calibrate", "--session", "a.hid", "--input", "synth", code=2), "exclude each other")
need(run("calibrate", "--session", "nothing.hid", code=1), "No such file")
open(path("no.ini"), "w").write("[output null]\n")
need(run("calibrate", "--session", "a.hid", "--write", "no.ini", code=1), "it has no [input ...]")
need(run("calibrate", "--input", "synth", "-s", "motion=still", "--patience", "1s", code=1), "time is up: ")
print("calibrate: a recording and live poses, values in an ini with its comments")

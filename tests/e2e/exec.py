# SPDX-License-Identifier: MIT
# Children: output exec and input exec, with programs that are well, hang, die, shout, do not read, do not end. Beside
# each of them a file output must get every sample, in order, in the time it takes anyway.
from lib import *
import json

def start(text, count=300, **how):
    """With a witness beside it; count=0: nothing but the text, count=None: for ever."""
    name = f"t{len(running)}"
    more = "" if count is None else f"count = {count}\n"
    head = "" if count == 0 else f"[input head]\nuse = synth\nrate = 500\n{more}[output witness]\nuse = file\npath = {name}.jsonl\n"
    p = Live(head + text, name=name)
    p.count = count
    return p
def finish(p, code=0, stop=False):
    """When it has ended, the witness has seen every sample, in order."""
    err = p.stop(code) if stop else p.ends(code)
    if p.count != 0:
        lines = lines_of(p.name + ".jsonl")
        count = p.count or samples_of(err)
        check(len(lines) == count and all(l.endswith("}") for l in lines), f"the witness saw {len(lines)} of {count}: {err}")
    return err
def alive(name):  # processes whose command line names the scratch folder and this word
    out = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = open(f"/proc/{pid}/cmdline").read()
        except OSError:
            continue
        if d in line and name in line and int(pid) != os.getpid() and "headpipe\0run" not in line:
            out.append(pid)
    return out
def program(name, text):
    path = os.path.join(d, name + ".py")
    open(path, "w").write(text)
    return f"exec python3 -u {path}"
# ---- output ----
# a program that is well: every line, in the ini's folder, its messages in the log, its end at the end of its input
p = start("[output good]\nuse = exec\nbuffer = 1024\ngrace = 1500ms\ncommand = echo hello >&2; cat > got.jsonl; echo bye $? >&2\n")
err = finish(p)
check(read("got.jsonl") == read(p.name + ".jsonl"), "the program got something else than the file")
check("output good: child: hello" in err and "child: bye 0" in err, "its messages: " + err)
# binary frames
p = start("[output good]\nuse = exec\nencoding = hds\nframing = length32\nbuffer = 1024\ngrace = 1500ms\ncommand = cat > got.bin\n")
finish(p)
check(len(command("hds", "decode", "--json", "--framing=length32", "got.bin").stdout.splitlines()) == 300, "frames")
# one that ends at once, again and again: the pauses grow
p = start("[output dies]\nuse = exec\ncommand = echo x >> starts; exit 3\n", count=None)
p.hears(*(f"has ended with status 3; starting it again in {t} s" for t in ("0.25", "0.5", "1")))
finish(p, stop=True)
check(3 <= len(lines_of("starts")) <= p.said().count("starting it again") + 1, f"starts: {lines_of('starts')} {p.said()}")
# one that is stopped, one that does not read, one that closes its input, one that shouts: all at once
p = start("[output stopped]\nuse = exec\ngrace = 200ms\nbuffer = 4\ncommand = " + program("stopped", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n")
          + "\n[output lazy]\nuse = exec\ngrace = 200ms\nbuffer = 4\ncommand = " + program("lazy", "import time\ntime.sleep(1000)\n")
          + "\n[output deaf]\nuse = exec\ngrace = 200ms\ncommand = " + program("deaf", "import os, time\nos.close(0)\ntime.sleep(1000)\n")
          + "\n[output loud]\nuse = exec\ncommand = " + program("loud", "import sys\nfor i in range(100000): print('noise', i)\n") + "\n", count=None)
p.hears("output stopped: the program does not read fast enough", "output lazy: the program does not read fast enough",
        "output deaf: the child has closed its input", "more lines of its output are left out")
err = finish(p, stop=True)
noise = err.count("child: noise")
hidden = sum(int(l.split()[4]) for l in err.splitlines() if "output loud: " in l and "more lines of its output are left out" in l)
check(noise > 0 and hidden > 20 * noise, f"{noise} lines of noise in the log, {hidden} left out")
# one that never stops shouting is made to wait: it does not keep the loop busy
p = start("[output yes]\nuse = exec\ngrace = 200ms\ncommand = exec yes\n", count=None)
began = time.monotonic()
p.hears("more lines of its output are left out", times=2)
err = finish(p, stop=True)
hidden = sum(int(l.split()[4]) for l in err.splitlines() if "more lines of its output are left out" in l)
seconds = time.monotonic() - began
check(0 < hidden < 3000000 * (1 + seconds), f"{hidden} lines of `yes` were read in {seconds} s")
wait_for(lambda: not alive(".py"), "an end of all children", lambda: f"left behind: {alive('.py')}")
# one that neither ends at the end of its input nor when asked: killed, with all that it has started
p = start("[output stubborn]\nuse = exec\ngrace = 200ms\ncommand = "
          + program("stubborn", "import signal, time, subprocess, sys\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                    "if len(sys.argv) == 1: subprocess.Popen([sys.executable, __file__, 'second'])\ntime.sleep(1000)\n") + "\n")
err = finish(p)
check("does not end; it is killed" in err, "stubborn: " + err)
wait_for(lambda: not alive("stubborn"), "the end of the stubborn ones", lambda: alive("stubborn"))
# what a shell leaves behind when it ends itself: it gets the same, and the end does not wait longer than for the shell
p = start("[output shell]\nuse = exec\ngrace = 400ms\ncommand = cat | "
          + program("orphan", "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(1000)\n") + "\n")
err = finish(p)
check("does not end; it is killed" in err, "orphan: " + err)
wait_for(lambda: not alive("orphan"), "the end of the orphan", lambda: alive("orphan"))
# what ends by itself is not waited for: one end of many is quick, on a busy machine too
for attempt in range(20):
    p = start("[input flood]\nuse = exec\ngrace = 1500ms\ncommand = echo up >&2; cat /dev/zero | cat\n"
              "[output pipe]\nuse = exec\ngrace = 1500ms\ncommand = echo up >&2; cat | cat >/dev/null\n", count=0)
    p.hears("child: up", times=2)
    before = time.monotonic()
    err = finish(p, stop=True)
    took = time.monotonic() - before
    if took < 0.7:
        break
check(took < 0.7 and "killed" not in err, f"two pipelines took {took} s to end, every time: {err}")
# when it may not start again, its failure ends this output and is told by the exit status
p = start("[output once]\nuse = exec\nrestart = never\ncommand = exit 4\n")
err = finish(p, code=1)
check("the command has ended with status 4; this output is off" in err, "once: " + err)
p = start("[output once]\nuse = exec\nrestart = failure\ncommand = exit 0\n")
err = finish(p)
p = start("[output nowhere]\nuse = exec\ndir = /nonexistent\ncommand = cat\n")
check("/nonexistent: No such file" in p.ends(1), "nowhere: " + p.said())
# ---- input ----
lines = "\n".join(json.dumps(v) for v in ({"yaw": 10, "pitch": -5, "device": "proto"}, {"quat": [1, 0, 0, 0], "gyro": [1, 2, 3]},
                                          {"ypr": [1, 2, 3], "reset_count": 2}, {"rotvec": [0, 0, 0.5], "accel": [0, 0, 9.81]}))
write("lines", lines + '\n\nnonsense\n[1]\n{"yaw":true}\n{"quat":[0,0,0,0]}\n{}\n{"yaw":7}')
p = start("[input proto]\nuse = exec\ncommand = cat lines; echo note >&2\n[output out]\nuse = file\npath = out.jsonl\n"
          "[output csv]\nuse = csv\npath = out.csv\ncolumns = yaw, jump\n", count=0)
err = finish(p)
rows = [json.loads(l) for l in open(path_of("out.jsonl"))]
close = lambda a, b: len(a) == len(b) and all(abs(x - y) < 1e-5 for x, y in zip(a, b))
check(len(rows) == 5 and all(r["device"] == "proto" for r in rows), f"{len(rows)} samples: {err}")
check(close(rows[0]["yprDegrees"], [10, -5, 0]) and close(rows[1]["gyroscope"], [1, 2, 3]) and rows[1]["quaternion"] == [1, 0, 0, 0]
      and close(rows[2]["yprDegrees"], [1, 2, 3]) and rows[2]["resetCounter"] == 2 and close(rows[3]["rotationVector"], [0, 0, 0.5])
      and close(rows[3]["accelerometer"], [0, 0, 9.81]) and close(rows[4]["yprDegrees"], [7, 0, 0]), f"values: {rows}")
jumps = [l.split(",")[1] for l in lines_of("out.csv")[1:]]
check(jumps == ["1", "0", "1", "0", "0"], f"jumps {jumps}")  # the first sample, the new reset_count
check("line 6 of the program: not JSON" in err and "5 lines that were none" in err and "child: note" in err, "bad lines: " + err)
check("the command has ended with status 0" in err, "end: " + err)
# its own clock; started again after a failure, and then the first sample says so
p = start("[input proto]\nuse = exec\nclock = program\ncommand = test -e again && echo '{\"yaw\":2,\"time_ns\":7000}' || "
          "{ touch again; echo '{\"yaw\":1,\"time_ns\":5000}'; echo '{\"yaw\":9}'; exit 1; }\n"
          "[output csv]\nuse = csv\npath = again.csv\ncolumns = time, yaw, jump\n", count=0)
err = finish(p)
rows = lines_of("again.csv")[1:]
check(len(rows) == 2 and rows[0].startswith("5000,") and rows[1].startswith("7000,") and all(r.endswith(",1") for r in rows), f"restart: {rows} {err}")
check("status 1; starting it again" in err and "no time_ns in it" in err, "restart: " + err)
# a program that hangs does not hold up the end; a line without end is not kept
p = start("[input proto]\nuse = exec\ngrace = 200ms\ncommand = "
          + program("hang", "import os, signal, sys\nsys.stdout.write('x' * 200000 + '\\n' + '{\"yaw\":1}\\n')\nsys.stdout.flush()\nos.kill(os.getpid(), signal.SIGSTOP)\n")
          + "\n[output out]\nuse = file\npath = hang.jsonl\n", count=0)
wait_for(lambda: lines_of("hang.jsonl"), "its sample")
err = finish(p, stop=True)
check("longer than 65536 bytes" in err, "hang: " + err)
wait_for(lambda: not alive("hang.py"), "the end of what hangs", lambda: alive("hang.py"))
# children that are silent cost no wake-up
p = start("[input proto]\nuse = exec\ncommand = exec sleep 1000\n[output out]\nuse = exec\ncommand = exec cat\n", count=0)
wait_for(lambda: len(children(p)) == 2 and all(c in ("sleep", "cat") for c in children(p)), "two children", p.said)
wait_for(lambda: asleep(p), "sleep", p.said)
before = wake_ups(p)
time.sleep(1.5)
woken = wake_ups(p) - before
print(f"count: wake-ups in 1.5 s with two silent children: {woken}")
check(woken <= 1, f"{woken} wake-ups")
finish(p, stop=True)
# what a command has started and left behind is ended before it is started again: in its group, in sessions of their own,
# deaf to SIGTERM, orphaned twice
write("left.py", """import os, signal, sys, time
start = len(open("lefts").readlines()) if os.path.exists("lefts") else 0
for i in range(5):
    r, w = os.pipe()
    if os.fork() == 0:
        if i & 1: os.setsid()
        if i & 2 and os.fork(): os._exit(0)
        if i == 4: signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.write(w, b"x")
        time.sleep(1000)
    os.read(r, 1)
open("lefts", "a").write("x\\n")
if start == 2: time.sleep(1000)
sys.exit(5)
""".replace("\\\\", "\\"))
for kind in ("input", "output"):
    if os.path.exists(path_of("lefts")):
        os.remove(path_of("lefts"))
    section = f"[{kind} x]\nuse = exec\nrestart = always\ngrace = 300ms\ncommand = exec python3 {path_of('left.py')}\n"
    p = start(section + "[output n]\nuse = null\n" if kind == "input" else section, count=0 if kind == "input" else None)
    p.hears("has ended with status 5", times=2)
    wait_for(lambda: len(lines_of("lefts")) == 3, "the third start")
    wait_for(lambda: len(alive("left.py")) == 6, "only those of the third start", lambda: alive("left.py"))
    finish(p, stop=True)
    check(not alive("left.py"), f"{kind}: left behind at the end: {alive('left.py')}")
# it ends at once, and the pipe takes everything: its end is named, and nothing counts as sent that it has not read
for speed in ("speed = 0\n", ""):
    p = run(f"[input head]\nuse = synth\nrate = 500\ncount = 200\n{speed}[output quits]\nuse = exec\nbuffer = 1024\ncommand = exec sh -c 'sleep 1000 & exit 7'\n[output n]\nuse = null\n")
    check("quits: the command has ended with status 7" in p.stderr, f"{speed}its end is not named: {p.stderr}")
    check("output quits: 0 of 200 samples" in p.stderr, f"{speed}it has read nothing: {p.stderr}")
    p = run(f"[input head]\nuse = synth\nrate = 500\ncount = 200\n{speed}[output some]\nuse = exec\nbuffer = 1024\nframing = raw\ncommand = exec python3 -c 'import os, sys; sys.stdin.buffer.raw.read(1); n = 1; sys.exit(9)'\n[output n]\nuse = null\n")
    check("some: the command has ended with status 9" in p.stderr and "output some: 0 of 200 samples" in p.stderr, f"{speed}one byte: {p.stderr}")
p = run("[input head]\nuse = synth\nspeed = 0\ncount = 200\n[output all]\nuse = exec\nbuffer = 1024\ncommand = cat > /dev/null\n")
check("output all: 200 of 200 samples" in p.stderr, f"all read: {p.stderr}")
end("children")

#!/bin/sh
# SPDX-License-Identifier: MIT
# Children: output exec and input exec, with programs that are well, hang, die, shout, do not read, do not end. Beside
# each of them a file output must get every sample, in order, in the time it takes anyway.
set -eu
python3 - "${B:-build}/headpipe" <<'EOF'
import json, os, signal, subprocess, sys, tempfile, time
headpipe, bad = os.path.abspath(sys.argv[1]), 0
def check(ok, what):
    global bad
    if not ok:
        bad += 1
        print("wrong:", what)
SYNTH = "[input head]\nuse = synth\nrate = 500\ncount = {count}\n[output witness]\nuse = file\npath = {path}\n"
def start(text, count=300):
    path = os.path.join(d, f"t{time.monotonic_ns()}")
    head = SYNTH.format(count=count, path=path + ".jsonl") if count else ""
    open(path + ".ini", "w").write(head + text)
    p = subprocess.Popen([headpipe, "run", path + ".ini"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/")
    p.base = path
    return p
def finish(p, code=0, count=300):
    err = p.communicate(timeout=60)[1]
    check(p.returncode == code, f"exit {p.returncode}, not {code}: {err}")
    if count:
        lines = open(p.base + ".jsonl").read().splitlines()
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
with tempfile.TemporaryDirectory() as d:
    # ---- output ----
    # a program that is well: every line, in the ini's folder, its messages in the log, its end at the end of its input
    p = start("[output good]\nuse = exec\ncommand = echo hello >&2; cat > got.jsonl; echo bye $? >&2\n")
    err = finish(p)
    got = open(os.path.join(d, "got.jsonl")).read()
    check(got == open(p.base + ".jsonl").read(), "the program got something else than the file")
    check("output good: child: hello" in err and "child: bye 0" in err, "its messages: " + err)
    # binary frames
    p = start("[output good]\nuse = exec\nencoding = hds\nframing = length32\ncommand = cat > got.bin\n")
    finish(p)
    out = subprocess.run([headpipe, "hds", "decode", "--json", "--framing=length32", os.path.join(d, "got.bin")], capture_output=True)
    check(len(out.stdout.splitlines()) == 300, "frames")
    # one that ends at once, again and again
    p = start("[output dies]\nuse = exec\ncommand = echo x >> starts; exit 3\n", count=500)
    err = finish(p, count=500)
    check("has ended with status 3; starting it again in 0.25 s" in err, "dies: " + err)
    starts = len(open(os.path.join(d, "starts")).read().splitlines())
    check(2 <= starts <= 4, f"{starts} starts in a second: the pauses do not grow")
    # one that is stopped, one that does not read, one that closes its input, one that shouts: all at once
    p = start("[output stopped]\nuse = exec\ngrace = 200ms\nbuffer = 4\ncommand = " + program("stopped", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n")
              + "\n[output lazy]\nuse = exec\ngrace = 200ms\nbuffer = 4\ncommand = " + program("lazy", "import time\ntime.sleep(1000)\n")
              + "\n[output deaf]\nuse = exec\ngrace = 200ms\ncommand = " + program("deaf", "import os, time\nos.close(0)\ntime.sleep(1000)\n")
              + "\n[output loud]\nuse = exec\ncommand = " + program("loud", "import sys\nfor i in range(100000): print('noise', i)\n") + "\n", count=500)
    err = finish(p, count=500)
    for name in ("stopped", "lazy"):
        check(f"output {name}: the program does not read fast enough" in err, f"{name}: {err}")
    check("output deaf: the child has closed its input" in err, "deaf: " + err[:2000])
    noise = err.count("child: noise")
    check(0 < noise < 1000 and "more lines of its output are left out" in err, f"{noise} lines of noise in the log")
    # one that never stops shouting is made to wait: it does not keep the loop busy
    p = start("[output yes]\nuse = exec\ngrace = 200ms\ncommand = exec yes\n", count=700)
    err = finish(p, count=700)
    hidden = sum(int(l.split()[4]) for l in err.splitlines() if "more lines of its output are left out" in l)
    check(0 < hidden < 5000000, f"{hidden} lines of `yes` were read")
    check(not alive(".py"), f"left behind: {alive('.py')}")
    # one that neither ends at the end of its input nor when asked: killed, with all that it has started
    p = start("[output stubborn]\nuse = exec\ngrace = 200ms\ncommand = "
              + program("stubborn", "import signal, time, subprocess, sys\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                        "if len(sys.argv) == 1: subprocess.Popen([sys.executable, __file__, 'second'])\ntime.sleep(1000)\n") + "\n")
    err = finish(p)
    check("does not end; it is killed" in err and not alive("stubborn"), f"stubborn: {alive('stubborn')} {err}")
    # what a shell leaves behind when it ends itself: it gets the same, and the end does not wait longer than for the shell
    p = start("[output shell]\nuse = exec\ngrace = 400ms\ncommand = cat | "
              + program("orphan", "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(1000)\n") + "\n")
    err = finish(p)
    for _ in range(100):
        if alive("orphan"):
            time.sleep(0.02)
    check("does not end; it is killed" in err and not alive("orphan"), f"orphan: {alive('orphan')} {err}")
    # what ends by itself is not waited for
    p = start("[input flood]\nuse = exec\ngrace = 1500ms\ncommand = cat /dev/zero | cat\n"
              "[output pipe]\nuse = exec\ngrace = 1500ms\ncommand = cat | cat >/dev/null\n", count=0)
    time.sleep(0.5)
    p.send_signal(signal.SIGTERM)
    before = time.monotonic()
    err = finish(p, count=0)
    took = time.monotonic() - before
    check(took < 0.7 and "killed" not in err, f"two pipelines took {took} s to end: {err}")
    # when it may not start again, its failure ends this output and is told by the exit status
    p = start("[output once]\nuse = exec\nrestart = never\ncommand = exit 4\n")
    err = finish(p, code=1)
    check("the command has ended with status 4; this output is off" in err, "once: " + err)
    p = start("[output once]\nuse = exec\nrestart = failure\ncommand = exit 0\n")
    err = finish(p)
    p = start("[output nowhere]\nuse = exec\ndir = /nonexistent\ncommand = cat\n")
    err = p.communicate(timeout=60)[1]
    check(p.returncode == 1 and "/nonexistent: No such file" in err, "nowhere: " + err)
    # ---- input ----
    lines = "\n".join(json.dumps(v) for v in ({"yaw": 10, "pitch": -5, "device": "proto"}, {"quat": [1, 0, 0, 0], "gyro": [1, 2, 3]},
                                              {"ypr": [1, 2, 3], "reset_count": 2}, {"rotvec": [0, 0, 0.5], "accel": [0, 0, 9.81]}))
    open(os.path.join(d, "lines"), "w").write(lines + '\n\nnonsense\n[1]\n{"yaw":true}\n{"quat":[0,0,0,0]}\n{}\n{"yaw":7}')
    p = start("[input proto]\nuse = exec\ncommand = cat lines; echo note >&2\n[output out]\nuse = file\npath = out.jsonl\n"
              "[output csv]\nuse = csv\npath = out.csv\ncolumns = yaw, jump\n", count=0)
    err = finish(p, count=0)
    rows = [json.loads(l) for l in open(os.path.join(d, "out.jsonl"))]
    close = lambda a, b: len(a) == len(b) and all(abs(x - y) < 1e-5 for x, y in zip(a, b))
    check(len(rows) == 5 and all(r["device"] == "proto" for r in rows), f"{len(rows)} samples: {err}")
    check(close(rows[0]["yprDegrees"], [10, -5, 0]) and close(rows[1]["gyroscope"], [1, 2, 3]) and rows[1]["quaternion"] == [1, 0, 0, 0]
          and close(rows[2]["yprDegrees"], [1, 2, 3]) and rows[2]["resetCounter"] == 2 and close(rows[3]["rotationVector"], [0, 0, 0.5])
          and close(rows[3]["accelerometer"], [0, 0, 9.81]) and close(rows[4]["yprDegrees"], [7, 0, 0]), f"values: {rows}")
    jumps = [l.split(",")[1] for l in open(os.path.join(d, "out.csv")).read().splitlines()[1:]]
    check(jumps == ["1", "0", "1", "0", "0"], f"jumps {jumps}")  # the first sample, the new reset_count
    check("line 6 of the program: not JSON" in err and "5 lines that were none" in err and "child: note" in err, "bad lines: " + err)
    check("the command has ended with status 0" in err, "end: " + err)
    # its own clock; started again after a failure, and then the first sample says so
    p = start("[input proto]\nuse = exec\nclock = program\ncommand = test -e again && echo '{\"yaw\":2,\"time_ns\":7000}' || "
              "{ touch again; echo '{\"yaw\":1,\"time_ns\":5000}'; echo '{\"yaw\":9}'; exit 1; }\n"
              "[output csv]\nuse = csv\npath = again.csv\ncolumns = time, yaw, jump\n", count=0)
    err = finish(p, count=0)
    rows = open(os.path.join(d, "again.csv")).read().splitlines()[1:]
    check(len(rows) == 2 and rows[0].startswith("5000,") and rows[1].startswith("7000,") and all(r.endswith(",1") for r in rows), f"restart: {rows} {err}")
    check("status 1; starting it again" in err and "no time_ns in it" in err, "restart: " + err)
    # a program that hangs does not hold up the end; a line without end is not kept
    p = start("[input proto]\nuse = exec\ngrace = 200ms\ncommand = "
              + program("hang", "import os, signal, sys\nsys.stdout.write('x' * 200000 + '\\n' + '{\"yaw\":1}\\n')\nsys.stdout.flush()\nos.kill(os.getpid(), signal.SIGSTOP)\n")
              + "\n[output out]\nuse = file\npath = hang.jsonl\n", count=0)
    while not os.path.exists(os.path.join(d, "hang.jsonl")) or not os.path.getsize(os.path.join(d, "hang.jsonl")):
        time.sleep(0.02)
    p.send_signal(signal.SIGINT)
    err = finish(p, count=0)
    check("longer than 65536 bytes" in err and not alive("hang"), "hang: " + err)
    # children that are silent cost no wake-up
    p = start("[input proto]\nuse = exec\ncommand = exec sleep 1000\n[output out]\nuse = exec\ncommand = exec cat\n", count=0)
    def switches():
        text = open(f"/proc/{p.pid}/task/{p.pid}/status").read()
        return sum(int(l.split()[1]) for l in text.splitlines() if "ctxt_switches" in l and l.startswith("voluntary"))
    time.sleep(0.7)
    before = switches()
    time.sleep(1.5)
    woken = switches() - before
    print(f"count: wake-ups in 1.5 s with two silent children: {woken}")
    check(woken <= 1, f"{woken} wake-ups")
    p.send_signal(signal.SIGTERM)
    finish(p, count=0)
print("children:", "as it should be" if not bad else f"{bad} wrong")
sys.exit(bad != 0)
EOF

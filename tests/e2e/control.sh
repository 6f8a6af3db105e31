#!/bin/sh
# SPDX-License-Identifier: MIT
# A run from outside: arguments, signals, several files at once, options that change while it runs, output that is closed.
set -eu
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/e2e python3 - <<'END'
from program import *
import json, struct

def yaw_of(s):
    return struct.unpack("<6d", s.recv(100))[3]
def stops(p, what):
    """Ends soon and well."""
    try:
        code = p.wait(20)
    except subprocess.TimeoutExpired:
        p.kill()
        code = "too late"
    err = p.stderr.read()
    check(code == 0, f"{what}: {code} {err}")
    return err

# SIGINT and SIGTERM end a live run; so do they while it reads at full speed
for number in (signal.SIGINT, signal.SIGTERM):
    for speed in ("1", "0"):
        a = receiver()
        p = start(SYNTH + f"speed={speed}\n[output game]\nuse=opentrack_udp\nto=127.0.0.1:{port_of(a)}\n", "-q")
        a.recv(100)
        p.send_signal(number)
        err = stops(p, f"{number.name}, speed {speed}")
        check(err == "", f"{number.name}, speed {speed}: {err}")

# --for
p = run(SYNTH + "[output n]\nuse=null\n", "--for", "0.3")
check(p.returncode == 0 and "headpipe: output n: " in p.stderr, f"--for: {p.returncode} {p.stderr}")
p = run(SYNTH + "count=20\nspeed=0\n[output n]\nuse=null\n", "--for", "3600")
check(p.returncode == 0 and "output n: 20 of 20 samples" in p.stderr, f"--for that is not needed: {p.stderr}")
for wrong in (["--for"], ["--for", "0"], ["--for", "x"], ["--for", "1,5"], ["--for", "-1"], ["--frobnicate"], ["-s"], ["-s", "x"],
              ["-s", "n.x=1"], ["-s", "nobody.rate=1"]):
    p = run(SYNTH + "[output n]\nuse=null\n", *wrong)
    check(p.returncode == 2 and p.stderr and "usage" in p.stderr + "usage" * ("-s" in wrong[0]), f"{wrong}: {p.returncode} {p.stderr}")
p = subprocess.run([headpipe, "run"], capture_output=True, text=True)
check(p.returncode == 2 and "FILE is missing" in p.stderr, "run without a file: " + p.stderr)

# -q and -s
p = run(SYNTH + "count=500\nspeed=0\n[output n]\nuse=null\n", "-q", "-s", "head.count=3", "-s", "output.n.rate=10")
check(p.returncode == 0 and p.stderr == "" and p.stdout == "", f"-q: {p.stderr}")
p = run(SYNTH + "count=500\nspeed=0\n[output n]\nuse=null\n", "-s", "head.count=3")
check("headpipe: input head: 3 samples\n" in p.stderr, f"-s: {p.stderr}")
p = run("[headpipe]\nlog_level=warning\n" + SYNTH + "count=3\nspeed=0\n[output n]\nuse=null\n")
check(p.returncode == 0 and p.stderr == "", f"log_level: {p.stderr}")

# several files: names may repeat, each has its own wiring, the run ends with the last input
a, b = receiver(), receiver()
one = write("one.ini", SYNTH + f"motion=still\nnoise=0\ncount=5\nspeed=0\n[output game]\nuse=opentrack_udp\nto=127.0.0.1:{port_of(a)}\n")
two = write("two.ini", SYNTH + "count=40\nrate=200\n[filter turn]\nuse=axes\n[output game]\nuse=json_udp\n"
            f"to=127.0.0.1:{port_of(b)}\n")
p = subprocess.run([headpipe, "run", one, two], capture_output=True, text=True, timeout=60)
check(p.returncode == 0 and len(waiting(a)) == 5 and len(waiting(b)) == 40, f"two files: {p.stderr}")
check(p.stderr.count("output game") == 2, f"two files: {p.stderr}")
p = subprocess.run([headpipe, "run", one, write("three.ini", "[output game]\nuse=null\nfrom=head\n")], capture_output=True, text=True)
check(p.returncode == 2 and "three.ini:3: error: [output game] from = head: no such input or filter in this file" in p.stderr,
      "from across files: " + p.stderr)
check(waiting(a) == [], "something was started all the same")

# SIGUSR1: the pose of now is the new front
a = receiver()
p = start(SYNTH + "frame=device\nmotion=ramp\nyaw=170\nperiod=60s\nnoise=0\nrate=200\n[filter orientation]\nsmoothing=1\n"
          f"drift_correction=0\n[output game]\nuse=opentrack_udp\nto=127.0.0.1:{port_of(a)}\n")
check(until(lambda: abs(yaw_of(a)) > 2), "the head does not turn")
p.send_signal(signal.SIGUSR1)
check(until(lambda: abs(yaw_of(a)) < 0.5), "SIGUSR1 does not recenter")
p.send_signal(signal.SIGINT)
check("headpipe: recentered\n" in stops(p, "SIGUSR1"), "SIGUSR1 is not told")

# SIGHUP: a live option changes, what cannot change is refused and changes nothing, what is wrong is told
a = receiver()
def ini(smoothing, more=""):
    return SYNTH + "frame=device\nmotion=steps\nrate=500\n[filter orientation]\nsmoothing=" + smoothing + \
        f"\n[output game]\nuse=opentrack_udp\nto=127.0.0.1:{port_of(a)}\n" + more
err = []
p = start(ini("0.18"))
def hup(text):
    write("t.ini", text)
    p.send_signal(signal.SIGHUP)
    while True:
        line = p.stderr.readline()
        err.append(line)
        if line.startswith("headpipe: ") or line == "":
            return line
a.recv(100)
check(hup(ini("0.5")) == "headpipe: filter orientation: smoothing is now 0.5\n", err[-1])
check(hup(ini("1.8")) == "headpipe: error: reload: 1 error; the running configuration stays\n", err[-1])
check(any("t.ini:7: error: [filter orientation] smoothing = 1.8: out of range" in l for l in err), str(err))
check(hup(ini("0.6", "rate=10\n")) == "headpipe: error: output game: `rate` cannot change while running; restart headpipe for "
      "that. Nothing was changed\n", err[-1])
check(hup(ini("0.5", "[output more]\nuse=null\n")) == "headpipe: error: reload: sections were added, removed or use another "
      "module; restart headpipe for that. Nothing was changed\n", err[-1])
check(hup(ini("0.7")) == "headpipe: filter orientation: smoothing is now 0.7\n", err[-1])
waiting(a)
check(len(a.recv(100)) == 48, "it runs on")
p.send_signal(signal.SIGTERM)
stops(p, "SIGHUP")

# standard output that is closed is the end of that output alone
p = run(SYNTH + "count=300\nrate=1000\n[output c]\nuse=console\n[output n]\nuse=null\n", stdin=None)
check(p.returncode == 0 and "output n: 300 of 300" in p.stderr, f"console: {p.stderr}")
end("control")
END

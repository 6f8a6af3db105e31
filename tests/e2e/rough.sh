#!/bin/sh
# SPDX-License-Identifier: MIT
# Rough handling: closed standard streams, a full disk behind stdout, pipes nobody holds the other end of, signals while
# a run starts.
set -eu
python3 - "${B:-build}/headpipe" <<'EOF'
import os, signal, subprocess, sys, tempfile, time
headpipe, bad = os.path.abspath(sys.argv[1]), 0
def check(ok, what):
    global bad
    if not ok:
        bad += 1
        print("wrong:", what)
def ini(text):
    path = os.path.join(d, "t.ini")
    open(path, "w").write(text)
    return path
def run(text, *more):
    return subprocess.run([headpipe, "run", ini(text), *more], capture_output=True, text=True, timeout=30)
SYNTH = "[input head]\nuse = synth\n"
with tempfile.TemporaryDirectory() as d:
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        text = SYNTH + "[output a]\nuse = console\n[output b]\nuse = json_udp\nto = 127.0.0.1:9\n"
        p = subprocess.run(["sh", "-c", f"exec {headpipe} run -q {ini(text)} --for 0.1 {closed}"], timeout=30,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        check(p.returncode == 0, f"run {closed} ends with {p.returncode}")
    if os.path.exists("/dev/full"):
        for command in ("modules", "help", "version"):
            p = subprocess.run([headpipe, command], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE, text=True)
            check(p.returncode == 1 and p.stderr == "headpipe: standard output: No space left on device\n",
                  f"{command} > /dev/full: {p.returncode} {p.stderr}")
    p = subprocess.run(["sh", "-c", f"{headpipe} modules --markdown 2>&1 | head -n 1"], capture_output=True, text=True)
    check(p.stdout == "# Modules\n", f"modules | head: {p.stdout}")

    pipe = os.path.join(d, "pipe")
    os.mkfifo(pipe)
    p = run(f"[input head]\nuse = replay\npath = {pipe}\n[output o]\nuse = null\n")
    check(p.returncode == 1 and "pipe: not a regular file" in p.stderr, f"a recording that is a pipe: {p}")
    for output in ("csv", "file"):
        p = run(SYNTH + f"[output o]\nuse = {output}\npath = {pipe}\n", "--for", "1")
        check(p.returncode == 1 and "pipe: nobody reads from this pipe" in p.stderr, f"{output} into a pipe: {p}")
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
        time.sleep(0.3)
        p = run(SYNTH + f"count = 50\nspeed = 0\n[output o]\nuse = {output}\npath = {pipe}\n")
        check(p.returncode == 0 and reader.communicate(timeout=10)[0].count(b"\n") >= 50, f"{output} and cat: {p}")

    # a start that takes its time, here for its ini, is not killed by what the running program understands
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
        p = subprocess.Popen([headpipe, "run", "-q", pipe, "--for", "0.1"])
        time.sleep(0.5)
        p.send_signal(number)
        time.sleep(0.1)
        if p.poll() is None:
            open(pipe, "w").write(SYNTH + "[output o]\nuse = null\n")
        check(p.wait(timeout=20) == 0, f"signal {number} while starting: {p.returncode}")

    p = subprocess.Popen([headpipe, "run", ini(SYNTH + "[output o]\nuse = null\n")], stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    os.remove(d + "/t.ini")
    os.mkfifo(d + "/t.ini")
    p.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    p.send_signal(signal.SIGTERM)
    err = p.communicate(timeout=20)[1]
    check(p.returncode == 0 and "it cannot be read a second time" in err, f"SIGHUP and a pipe: {err}")
print("rough handling: as it should be" if not bad else f"{bad} wrong")
sys.exit(bad > 0)
EOF

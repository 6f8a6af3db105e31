# SPDX-License-Identifier: MIT
# A run from outside: arguments, signals, several files at once, options that change while it runs, output that is closed.
from lib import *
def yaw_of(datagram):
    return struct.unpack("<6d", datagram)[3]

# SIGINT and SIGTERM end a live run; so do they while it reads at full speed
for number in (signal.SIGINT, signal.SIGTERM):
    for speed in ("1", "0"):
        a = Receiver()
        p = start(SYNTH + f"speed={speed}\n[output game]\nuse=opentrack_udp\nto=127.0.0.1:{a.port}\n", "-q")
        a.recv()
        err = p.stop(number=number)
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
p = command("run")
check(p.returncode == 2 and "FILE is missing" in p.stderr, "run without a file: " + p.stderr)

# -q and -s
p = run(SYNTH + "count=500\nspeed=0\n[output n]\nuse=null\n", "-q", "-s", "head.count=3", "-s", "output.n.rate=10")
check(p.returncode == 0 and p.stderr == "" and p.stdout == "", f"-q: {p.stderr}")
p = run(SYNTH + "count=500\nspeed=0\n[output n]\nuse=null\n", "-s", "head.count=3")
check("headpipe: input head: 3 samples\n" in p.stderr, f"-s: {p.stderr}")
p = run("[headpipe]\nlog_level=warning\n" + SYNTH + "count=3\nspeed=0\n[output n]\nuse=null\n")
check(p.returncode == 0 and p.stderr == "", f"log_level: {p.stderr}")

# several files: names may repeat, each has its own wiring, the run ends with the last input
a, b = Receiver(), Receiver()
one = write("one.ini", SYNTH + f"motion=still\nnoise=0\ncount=5\nspeed=0\n[output game]\nuse=opentrack_udp\nto=127.0.0.1:{a.port}\n")
two = write("two.ini", SYNTH + "count=40\nrate=200\n[filter turn]\nuse=axes\n[output game]\nuse=json_udp\n"
            f"to=127.0.0.1:{b.port}\n")
p = command("run", one, two)
check(p.returncode == 0 and len(a.take()) == 5 and len(b.take()) == 40, f"two files: {p.stderr}")
check(p.stderr.count("output game") == 2, f"two files: {p.stderr}")
p = command("run", one, write("three.ini", "[output game]\nuse=null\nfrom=head\n"))
check(p.returncode == 2 and "three.ini:3: error: [output game] from = head: no such input or filter in this file" in p.stderr,
      "from across files: " + p.stderr)
check(a.take() == [], "something was started all the same")

# SIGUSR1: the pose of now is the new front. The poses come from a program that says the one that it finds in a file.
a = Receiver()
write("pose", '{"yaw":0}')
p = start("[input head]\nuse=exec\ncommand=while cat pose && echo; do sleep 0.01; done\n[filter orientation]\nsmoothing=1\n"
          f"drift_correction=0\n[output game]\nuse=opentrack_udp\nto=127.0.0.1:{a.port}\n")
def comes(yaw):
    return wait_for(lambda: abs(yaw_of(a.recv()) - yaw) < 1e-3, f"yaw {yaw}", p.said)
def turn(yaw):
    write("pose.new", '{"yaw":%g}' % yaw)
    os.rename(path_of("pose.new"), path_of("pose"))
comes(0)
turn(40)
comes(-40) # its axes are a head tracker's
p.send_signal(signal.SIGUSR1)
comes(0)
turn(30)
comes(10)
check("headpipe: recentered\n" in p.stop(), "SIGUSR1 is not told")

# SIGHUP: a live option changes, what cannot change is refused and changes nothing, what is wrong is told
a = Receiver()
def ini(smoothing, more=""):
    return SYNTH + "frame=device\nmotion=steps\nrate=500\n[filter orientation]\nsmoothing=" + smoothing + \
        f"\n[output game]\nuse=opentrack_udp\nto=127.0.0.1:{a.port}\n" + more
p = start(ini("0.18"), name="t")
heard = ""
def hup(text, *wanted):
    """Says these sentences, the last one at last, and nothing else."""
    global heard
    write("t.ini", text)
    p.catches(signal.SIGHUP).send_signal(signal.SIGHUP)
    wait_for(lambda: wanted[-1] in p.said()[len(heard):], wanted[-1], p.said)
    said = p.said()[len(heard):]
    heard += said
    check(all(w in said for w in wanted) and said.count("headpipe: ") == 1, said)
a.recv()
hup(ini("0.5"), "headpipe: filter orientation: smoothing is now 0.5\n")
hup(ini("1.8"), "t.ini:7: error: [filter orientation] smoothing = 1.8: out of range",
    "headpipe: error: reload: 1 error; the running configuration stays\n")
hup(ini("0.6", "rate=10\n"), "headpipe: error: output game: `rate` cannot change while running; restart headpipe for that. "
    "Nothing was changed\n")
hup(ini("0.5", "[output more]\nuse=null\n"), "headpipe: error: reload: sections were added, removed or use another module; "
    "restart headpipe for that. Nothing was changed\n")
hup(ini("0.7"), "headpipe: filter orientation: smoothing is now 0.7\n")
a.take()
check(len(a.recv()) == 48, "it runs on")
p.stop(number=signal.SIGTERM)

# standard output that is closed is the end of that output alone
p = run(SYNTH + "count=300\nrate=1000\n[output c]\nuse=console\n[output n]\nuse=null\n", stdin=None)
check(p.returncode == 0 and "output n: 300 of 300" in p.stderr, f"console: {p.stderr}")
end("control")

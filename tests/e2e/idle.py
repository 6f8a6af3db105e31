# SPDX-License-Identifier: MIT
# A pipeline that waits does nothing at all: no wake-up, no system time, no descriptor more than it has; and what it opens
# while it runs it closes again.
from lib import *

def descriptors(p):
    return sorted(os.readlink(f"/proc/{p.pid}/fd/{f}") for f in os.listdir(f"/proc/{p.pid}/fd"))
# one report, and the next one in a day
lines = open(f"{golden}/pipeline.hid").read().splitlines()
first = next(l for l in lines if l.startswith("E:"))
write("dead.hid", "\n".join([l for l in lines if not l.startswith("E:")] + [first, "E: 086400.000000" + first[first.index(" ", 3):]]) + "\n")
a = Receiver()
TAIL = f"[filter orientation]\n[output game]\nuse=opentrack_udp\nto=127.0.0.1:{a.port}\n" \
    f"[output t]\nuse=json_udp\nto=127.0.0.1:{a.port}\n"
FILES = "[output tape]\nuse=csv\npath=tape.csv\n[output lines]\nuse=file\npath=lines.json\nencoding=json\n"
runs = []
for what, text in (("default pipeline", TAIL), ("with files", TAIL + FILES),
                   ("rate and on_loss", TAIL + "rate=10\non_loss=zero\nloss_after=50ms\n")):
    p = start("[input head]\nuse=replay\npath=dead.hid\n" + text, "-q")
    a.recv()
    runs.append((what, p))
for what, p in runs:
    wait_for(lambda: asleep(p), f"{what}: sleep")
before = [(wake_ups(p), descriptors(p)) for _, p in runs]
time.sleep(2)
for (what, p), (count, fds) in zip(runs, before):
    check(wake_ups(p) == count, f"{what}: {wake_ups(p) - count} wake-ups in 2 s")
    check(descriptors(p) == fds, f"{what}: descriptors changed")
    print(f"count: wake-ups of a waiting pipeline in 2 s, {what}: {wake_ups(p) - count}")
    p.stop()
a.take()

# a live run: as many descriptors after many samples, recenters and readings of the file as before
p = start(SYNTH + "rate=500\n" + TAIL + FILES, "-q")
a.recv()
fds = descriptors(p)
check(len([f for f in fds if f.endswith(("tape.csv", "lines.json"))]) == 2, f"files: {fds}")
check(len(fds) < 20, f"{len(fds)} descriptors: {fds}")
for i in range(20):
    p.catches(signal.SIGHUP).send_signal(signal.SIGUSR1 if i % 2 else signal.SIGHUP)
    time.sleep(0.02)
wait_for(lambda: descriptors(p) == fds, f"descriptors {fds}", lambda: descriptors(p))
p.stop(number=signal.SIGTERM)
end("idle")

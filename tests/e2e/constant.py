# SPDX-License-Identifier: MIT
# An input that sends but does not move is named once, whatever its kind, live and from a recording; one that moves is not.
from lib import *

NAMED = "input head: sends, but its pose has been the same to the last bit for "
NULL = "[output n]\nuse = null\n"
HEAD = "[input head]\nuse = "

# made-up motion, in its own time: at rest it is constant without noise, and lives with it
STILL = HEAD + "synth\nmotion = still\nspeed = 0\n"
said = replayed(STILL + "noise = 0\ncount = 6000\n" + NULL)
check(said.count(NAMED + "5 s") == 1, f"a minute of rest: {said}")
for what, text in (("noise", STILL + "count = 6000\n"), ("five seconds", STILL + "noise = 0\ncount = 500\n"),
                   ("never", STILL + "noise = 0\ncount = 6000\nconstant_after = 0s\n"), ("motion", SYNTH + "speed = 0\nnoise = 0\ncount = 6000\n"),
                   ("motion of a second", SYNTH + "period = 1s\nmotion = steps\nspeed = 0\nnoise = 0\ncount = 6000\n")):
    said = replayed(text + NULL)
    check(NAMED not in said, f"{what}: {said}")

# recorded reports, and recorded samples
lines = open("conf/head-motion.hid").read().splitlines()
head, events = [l for l in lines if not l.startswith("E:")], [l for l in lines if l.startswith("E:")]
body = events[0].split(" ", 2)[2]
rows = [f"E: {i // 100:06d}.{i % 100 * 10000:06d} {body}" for i in range(1000)]
write("still.hid", "\n".join(head + rows) + "\n")
said = replayed(HEAD + "replay\npath = still.hid\nspeed = 0\n[output tape]\nuse = session\npath = still.mcap\n")
check(said.count(NAMED) == 1, f"recorded reports: {said}")
for kind in "reports", "samples":
    said = replayed(HEAD + f"replay\npath = still.mcap\nsource = {kind}\nspeed = 0\n" + NULL)
    check(said.count(NAMED) == 1, f"{kind} of a session: {said}")
said = replayed(HEAD + f"replay\npath = {os.path.abspath('conf/head-motion.hid')}\nspeed = 0\n" + NULL)
check(NAMED not in said, f"a head: {said}")

# a program that is alive and repeats itself, then moves, then repeats itself
write("pose", '{"yaw":1}')
p = Live(HEAD + "exec\nconstant_after = 300ms\ncommand = while cat pose && echo; do sleep 0.01; done\n" + NULL)
def turn(yaw):
    write("pose.new", '{"yaw":%g}' % yaw)
    os.rename(path_of("pose.new"), path_of("pose"))
p.hears(NAMED + "0.3 s")
turn(2)
p.hears("input head: moves again")
p.hears(NAMED, times=2)
check(p.said().count("moves again") == 1, p.said())
p.stop()
end("constant input")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clock_door.py - a program's own clock that is set, that repeats itself or comes out of order: the stream's time never goes
back, what is late or double is dropped and counted, and a step is an event with its size."""
from lib import *
import json

S = 10**9


def recorded(name, times, yaw=lambda i: i * .1):
    """What the log says, the rows, and the steps of the clock in the session, s."""
    write("lines.py", "".join(f"print({json.dumps(json.dumps({'yaw': yaw(i), 'time_ns': t}))})\n" for i, t in enumerate(times)))
    p = run("[input h]\nuse = exec\nclock = program\nrestart = never\ncommand = python3 lines.py\n"
            f"[output s]\nuse = session\npath = {name}.mcap\n")
    check(p.returncode == 0, p.stderr)
    rows = [json.loads(l) for l in command("export", name + ".mcap", "--json").stdout.splitlines()]
    stream = [r["time_ns"] for r in rows]
    check(stream == sorted(stream), f"{name}: the stream's time goes back")
    check(command("verify", name + ".mcap").returncode == 0, name)
    steps = [float(l.split("clock step ")[1].split(" s")[0]) for l in command("info", name + ".mcap", "--events").stdout.splitlines() if "clock step" in l]
    return p.stderr, rows, steps


# set back once: nothing is lost, and the rhythm goes on
said, rows, steps = recorded("back", [(100 if i < 150 else 95) * S + i * 10**7 for i in range(300)])
check(len(rows) == 300 and steps == [-4.99], (len(rows), steps))
after = [r["time_ns"] for r in rows[150:]]
check(all(b - a == 10**7 for a, b in zip(after, after[1:])), "the rhythm behind the step")
check("0 late and 0 double samples dropped; the source's clock was set 1 times" in said, said)
# set ahead by a day; a number that is no time at all
said, rows, steps = recorded("ahead", [S, 2 * S, 86402 * S, 86403 * S])
check(len(rows) == 4 and steps == [86400] and rows[3]["time_ns"] - rows[2]["time_ns"] == S, (rows, steps))
said, rows, steps = recorded("absurd", [2**63 - 1, -2**63, 5, 2**63 - 1, 6 * S])
check(len(rows) == 5 and len(steps) == 4 and all(abs(r["time_ns"]) < 2**62 for r in rows), (rows, steps))
# double and late ones
said, rows, steps = recorded("double", [S, 2 * S, 2 * S, 3 * S, 3 * S, 4 * S], yaw=lambda i: [0, 1, 1, 2, 5, 6][i])
check([round(r["yaw"]) for r in rows] == [0, 1, 2, 5, 6] and not steps, rows)
check("0 late and 1 double samples dropped" in said, said)
said, rows, steps = recorded("late", [S, 2 * S, 3 * S, 5 * S // 2, 4 * S, 39 * S // 10, 5 * S])
check([r["time_ns"] // S for r in rows] == [1, 2, 3, 4, 5] and not steps, rows)
check("2 late and 0 double samples dropped" in said, said)
# set back by less than what may be late: it is seen after a few
said, rows, steps = recorded("little", [i * 10**7 for i in range(100)] + [i * 10**7 + S // 2 for i in range(100)])
check(len(rows) == 191 and len(steps) == 1 and "9 late" in said, (len(rows), steps, said))
# another run of the program, another clock
write("twice.py", "import os, sys\nfirst = not os.path.exists('ran')\nopen('ran', 'w')\n"
      "[print('{\"yaw\":1,\"time_ns\":%d}' % ((10 if first else 1) * 10**9 + i)) for i in range(5)]\nsys.exit(first)\n")
p = run("[input h]\nuse = exec\nclock = program\ncommand = python3 twice.py\n[output s]\nuse = session\npath = twice.mcap\n")
stream = [json.loads(l)["time_ns"] for l in command("export", "twice.mcap", "--json").stdout.splitlines()]
check(len(stream) == 10 and stream == sorted(stream), (stream, p.stderr))
end("clocks at the door")

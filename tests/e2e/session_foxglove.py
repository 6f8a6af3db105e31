# SPDX-License-Identifier: MIT
# Sessions that other tools draw: with `foxglove = yes` the samples are there once more in message types that Foxglove's own
# packages (npm, pinned) know and decode, with times since 1970; and the session replays as it always does.
from npm import *
import json

folder = install()
r = Pair()
hid("in.hid", 4, 250)
filt = "[filter pose]\nuse = orientation\n"
before = int(time.time() * 1000)
p = run("[input head]\nuse = replay\npath = in.hid\nspeed = 0\n" + filt + outputs(r.ports) +
        "[output tape]\nuse = session\nfrom = pose\npath = plain.mcap\n"
        "[output ptape]\nuse = session\nfrom = pose\npath = pose.mcap\nfoxglove = yes\ntimes = epoch\n"
        "[output parts]\nuse = session\nfrom = head\npath = part-%n.mcap\nfoxglove = yes\ntimes = epoch\nmax_time = 1s\n")
check(p.returncode == 0, p.stderr)
after = int(time.time() * 1000) + 4000
want = r.take()
check(len(want[0]) > 800, len(want[0]))
lines = command("export", "pose.mcap", "--json").stdout
write("lines", lines)
q = subprocess.run(["node", folder + "/foxglove.mjs", "pose.mcap", "lines", str(before), str(after)], capture_output=True, text=True, cwd=d)
check(q.returncode == 0, q.stdout + q.stderr)
print(q.stdout.strip())
check(command("verify", "pose.mcap").returncode == 0)
# the same datagrams, whichever times the file has
for source in ("reports", "samples"):
    for extra in ("", "from = 1s\nto = 3s\n"):
        got = []
        for name in ("plain", "pose"):
            replayed(f"[input head]\nuse = replay\npath = {name}.mcap\nspeed = 0\nsource = {source}\n{extra}" + filt + outputs(r.ports))
            got.append(r.take())
        if not extra:
            same(f"{source} of the file with times since 1970", want, got[1])
        same(f"{source} {extra}", got[0], got[1])
# a recording in several files keeps one time line, and each file says by how much it is shifted
shifts, ends = set(), []
for n in range(1, 5):
    i = json.loads(command("info", f"part-{n}.mcap", "--json").stdout)
    shifts.add(i["metadata"]["headpipe.times"]["shift_ns"])
    replayed(f"[input head]\nuse = replay\npath = part-{n}.mcap\nspeed = 0\n" + filt + outputs(r.ports))
    ends.append(len(r.take()[0]))
check(len(shifts) == 1, shifts)
check(sum(ends) >= len(want[0]) - 4, (ends, len(want[0])))
check("needs samples" in command("check", write("no.ini", "[input head]\nuse = synth\n[output a]\nuse = session\nsamples = no\nfoxglove = yes\n"), text=True).stderr)
end("sessions and Foxglove's packages")

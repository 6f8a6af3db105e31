# SPDX-License-Identifier: MIT
# kill -9 while recording at 1 kHz: what is in closed chunks is there, an idle recording is whole after chunk_time, and the
# file replays as it is. A full disk: the pipeline goes on, the file is readable to its last closed chunk, one message.
from lib import *
import json, resource

r = Pair()
hid("in.hid", 30, 1000, odd=False)
# 1500 reports, and the next one in a day
hid("pause.hid", 1.5, 1000, odd=False, more="E: 86400.000000 1 01\n")
head = "[input head]\nuse = replay\npath = in.hid\n"
tape = "[output tape]\nuse = session\nfrom = head\npath = tape-%n.mcap\nchunk_time = 500ms\nchunk_messages = 1000000\n"

def readable(file):
    """How many reports of the file can be read, as it is now."""
    p = command("info", file, "--json")
    if p.returncode:
        return 0
    return sum(c["messages"] for c in json.loads(p.stdout)["channels"] if c["topic"] == "/hid/reports")
def play(file):
    err = replayed(f"[input head]\nuse = replay\npath = {file}\nspeed = 0\n" + ORIENTATION + outputs(r.ports))
    return err, r.take()

for turn, source in enumerate(("in.hid", "in.hid", "pause.hid"), 1):
    file, whole = f"tape-{turn}.mcap", f"whole-{turn}.mcap"
    p = start(head.replace("in.hid", source) + ORIENTATION + outputs(r.ports) + tape)
    sure = wait_for(lambda: readable(file) if readable(file) >= (1500 if source == "pause.hid" else 500 * turn) else 0, "reports in the file",
                    p.said)
    p.kill()
    p.wait()
    live = r.take()
    err, back = play(file)
    check("the file has no end (no summary)" in err, err)
    for a, b in zip(live, back):
        check(b == a[:len(b)] and len(b) >= sure, f"what is left differs from what was sent: {len(b)} of {len(a)}, {sure} were there")
    check(source != "pause.hid" or back == live, "an idle recording is not whole")
    print(f"count: killed at 1 kHz: {len(live[0]) - len(back[0])} of {len(live[0])} samples lost, the window is 500")
    # recover makes a whole file of it, with the same messages
    p = command("recover", file, "-o", whole)
    check(p.returncode == 0 and "0 known to be missing" in p.stdout, p.stdout + p.stderr)
    for words in (("verify", whole), ("diff", "--all", file, whole)):
        p = command(*words)
        check(p.returncode == 0, f"{words}: {p.stdout} {p.stderr}")
    check(play(whole)[1] == back, "the recovered file replays differently")

# ---- disk full: no file may grow beyond 200 kB, and on /dev/full
p = run(head + "speed = 20\n" + ORIENTATION + outputs(r.ports) + tape.replace("tape-%n", "full"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000)))
live = r.take()
check("output game: 30000 of 30000 samples" in p.stderr, p.stderr)  # the pipeline went on
lines = [l for l in p.stderr.splitlines() if "full.mcap" in l and "recording to" not in l]
check(len(lines) == 1 and "File too large" in lines[0] and "readable" in lines[0], p.stderr)
err, back = play("full.mcap")
check(len(back[0]) > 300 and set(live[0][:200]) <= set(back[0]), len(back[0]))
check("not complete" not in err, err)
print(f"count: full disk: {len(back[0])} samples readable, the pipeline sent all {len(live[0])}")
# ---- too slow: the loop is not held up, what is lost is counted and stands in the file
err = replayed(head + "speed = 1000\n" + ORIENTATION + outputs(r.ports) + tape.replace("tape-%n", "slow") + "compression = zstd\nlevel = 19\n",
               code=None)
if "no libzstd" not in err:
    r.take()
    check("output game: 30000 of 30000 samples" in err, err)
    i = json.loads(command("info", "slow.mcap", "--json").stdout)
    kept = sum(c["messages"] for c in i["channels"] if c["topic"] != "/events")
    if i["lost"]:
        check("records were lost" in err and "lost" in i["events"], err)
    check(kept + i["lost"] >= 60000 and kept + i["lost"] <= 60010, (kept, i["lost"]))
    check(command("verify", "slow.mcap").returncode == 0, "slow.mcap is not good")
    print(f"count: slow writer: {kept} records kept, {i['lost']} lost and on record")
end("a killed recording and a full disk lose no more than they must")

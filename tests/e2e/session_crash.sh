#!/bin/sh
# SPDX-License-Identifier: MIT
# kill -9 while recording at 1 kHz: at most the configured window is lost, the file replays as it is. A full disk: the
# pipeline goes on, the file is readable to its last closed chunk, one message.
set -eu
PYTHONPATH=tests/e2e python3 - <<'EOF'
from session_replay import *
import re, resource, threading
folder = tempfile.mkdtemp()
r = Receivers()
hid(folder + "/in.hid", 30, 1000, odd=False)
head = "[input head]\nuse = replay\npath = in.hid\n"
filt = "[filter pose]\nuse = orientation\n"
window = 0.5
tape = f"[output tape]\nuse = session\nfrom = head\npath = tape-%n.mcap\nchunk_time = {int(window * 1000)}ms\nchunk_messages = 1000000\n"

for turn in range(3):
    def kill(p, path):
        end = time.time() + 60
        while len(r.got[0]) < 1200 + 217 * turn and time.time() < end:
            time.sleep(0.01)
        p.kill()
    run(head + filt + outputs(r.ports) + tape, folder, during=kill, code=-signal.SIGKILL)
    live = r.take()
    file = f"tape-{turn + 1}.mcap"
    err = run(f"[input head]\nuse = replay\npath = {file}\nspeed = 0\n" + filt + outputs(r.ports), folder)
    assert "the file has no end (no summary)" in err, err
    back = r.take()
    for a, b in zip(live, back):
        assert b == a[:len(b)], "what is left differs from what was sent"
    lost = len(live[0]) - len(back[0])
    # a busy machine sends late samples in a burst, which the window in time does not know
    assert len(live[0]) >= 1200 and 0 <= lost <= window * 1000 + 250, (len(live[0]), lost)
    # recover makes a whole file of it, with the same messages
    whole = f"whole-{turn + 1}.mcap"
    p = subprocess.run([headpipe, "recover", file, "-o", whole], capture_output=True, text=True, cwd=folder, check=True)
    assert "0 known to be missing" in p.stdout, p.stdout
    subprocess.run([headpipe, "verify", whole], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([headpipe, "diff", "--all", file, whole], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run(f"[input head]\nuse = replay\npath = {whole}\nspeed = 0\n" + filt + outputs(r.ports), folder)
    again = r.take()
    assert again == back, "the recovered file replays differently"
print(f"count: killed at 1 kHz: {lost} of {len(live[0])} samples lost, the window is {int(window * 1000)}")

# ---- disk full: no file may grow beyond 200 kB, and on /dev/full
full = head.replace("in.hid", "in.hid\nspeed = 20") + filt + outputs(r.ports) + tape.replace("tape-%n", "full")
path = folder + "/full.ini"
open(path, "w").write(full)
p = subprocess.run([headpipe, "run", path], capture_output=True, text=True,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000)))
live = r.take()
assert "output game: 30000 of 30000 samples" in p.stderr, p.stderr  # the pipeline went on
lines = [l for l in p.stderr.splitlines() if "full.mcap" in l and "recording to" not in l]
assert len(lines) == 1 and "File too large" in lines[0] and "readable" in lines[0], p.stderr
err = run(f"[input head]\nuse = replay\npath = full.mcap\nspeed = 0\n" + filt + outputs(r.ports), folder)
back = r.take()
assert len(back[0]) > 300 and set(live[0][:200]) <= set(back[0]), len(back[0])
assert "not complete" not in err, err
print(f"count: full disk: {len(back[0])} samples readable, the pipeline sent all {len(live[0])}")
# ---- too slow: the loop is not held up, what is lost is counted and stands in the file
import json
slow = head.replace("in.hid", "in.hid\nspeed = 1000") + filt + outputs(r.ports) + tape.replace("tape-%n", "slow") + "compression = zstd\nlevel = 19\n"
err = run(slow, folder, code=None)
if "no libzstd" not in err:
    r.take()
    assert "output game: 30000 of 30000 samples" in err, err
    i = json.loads(subprocess.run([headpipe, "info", folder + "/slow.mcap", "--json"], capture_output=True, text=True).stdout)
    kept = sum(c["messages"] for c in i["channels"] if c["topic"] != "/events")
    if i["lost"]:
        assert "records were lost" in err and "lost" in i["events"], err
    assert kept + i["lost"] >= 60000 and kept + i["lost"] <= 60010, (kept, i["lost"])
    subprocess.run([headpipe, "verify", folder + "/slow.mcap"], check=True, stdout=subprocess.DEVNULL)
    print(f"count: slow writer: {kept} records kept, {i['lost']} lost and on record")
print("a killed recording and a full disk lose no more than they must")
EOF

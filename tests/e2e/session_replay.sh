#!/bin/sh
# SPDX-License-Identifier: MIT
# A recorded live run replays to the same datagrams at speed 10, 1 and 0, decoded again or from recorded samples.
set -eu
PYTHONPATH=tests/e2e python3 - <<'EOF'
from session_replay import *
folder = tempfile.mkdtemp()
r = Receivers()
hid(folder + "/in.hid", 3, 200)
filt = "[filter pose]\nuse = orientation\nsmoothing = 0.2\n"
tape = "[output tape]\nuse = session\nfrom = head\npath = tape.mcap\nchunk_messages = 100\n"
pose = "[output ptape]\nuse = session\nfrom = pose\npath = pose.mcap\ncompression = zstd\n"
js = "[output jtape]\nuse = session\nfrom = pose\npath = json.mcap\nencoding = json\nreports = no\n"
if "HP_HAVE_ZSTD 1" not in open(os.environ.get("B", "build") + "/have.h").read():
    pose = pose.replace("zstd", "none")
live = f"[input head]\nuse = replay\npath = in.hid\n" + filt + outputs(r.ports) + tape + pose + js

def during(p, path):
    time.sleep(0.8)
    p.send_signal(signal.SIGUSR1)
    time.sleep(0.5)
    text = open(path).read().replace("smoothing = 0.2", "smoothing = 0.9")
    open(path, "w").write(text)
    p.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    p.send_signal(signal.SIGUSR1)

err = run(live, folder, during=during)
want = r.take()
assert len(want[0]) > 500 and len(want[0]) == len(want[1]), [len(w) for w in want]
assert err.count("recentered") == 2 and "smoothing is now 0.9" in err, err
pairs = 0
for source, file in (("reports", "tape"), ("reports", "pose"), ("samples", "pose"), ("samples", "json"), ("samples", "tape")):
    for speed in (0, 10) if (source, file) != ("reports", "tape") else (0, 10, 1):
        err = run(f"[input head]\nuse = replay\npath = {file}.mcap\nspeed = {speed}\nsource = {source}\n" + filt
                  + outputs(r.ports), folder)
        got = r.take()
        same(f"{file}.mcap, source = {source}, speed {speed}", want, got)
        assert ("recorded behind pose" in err) == (source == "samples" and file != "tape"), err
        pairs += len(got[0])
# a recording of a replay holds the same reports again
err = run(f"[input head]\nuse = replay\npath = tape.mcap\nspeed = 0\n" + filt + tape.replace("tape.mcap", "again-%n.mcap"), folder)
run(f"[input head]\nuse = replay\npath = again-1.mcap\nspeed = 0\n" + filt + outputs(r.ports), folder)
same("recording of a replay", want, r.take())
# nothing is overwritten
before = os.path.getsize(folder + "/tape.mcap")
run(f"[input head]\nuse = replay\npath = in.hid\nspeed = 0\n" + tape, folder)
assert os.path.getsize(folder + "/tape.mcap") == before and os.path.exists(folder + "/tape-2.mcap")
# parts of it
for window, low, high in (("from = 1s", 390, 410), ("to = 1s", 190, 210), ("from = 1s\nto = 1500ms", 95, 110)):
    run(f"[input head]\nuse = replay\npath = tape.mcap\nspeed = 0\n{window}\n" + filt + outputs(r.ports), folder)
    got = r.take()
    n = len(got[0]) * 13 // 12
    assert low <= n <= high, (window, n)
# in a loop time goes on, and the passes are equal up to it
run(f"[input head]\nuse = replay\npath = tape.mcap\nspeed = 50\nloop = yes\n" + outputs(r.ports), folder, extra=("--for", "1"))
got = r.take()
n = 554  # reports that give a sample
assert len(got[0]) > 2 * n, len(got[0])
assert got[0][:n] == got[0][n:2 * n], "the second pass differs"
# wrong asks: one sentence each
err = run(f"[input head]\nuse = replay\npath = json.mcap\nsource = reports\n" + filt + outputs(r.ports), folder, code=None)
assert "json.mcap: no reports were recorded; use source = samples" in err, err
err = run(f"[input head]\nuse = replay\npath = tape.mcap\nfrom = 2s\nto = 1s\n" + filt + outputs(r.ports), folder, code=2)
assert "run.ini:5: error: [input head] to = 1s: must be later than `from`" in err, err
err = run(f"[input head]\nuse = replay\npath = tape.mcap\ndevice = 1\n" + filt + outputs(r.ports), folder, code=None)
assert "a session file holds one device" in err, err
open(folder + "/foreign.mcap", "wb").write(open(folder + "/tape.mcap", "rb").read(60))
err = run(f"[input head]\nuse = replay\npath = foreign.mcap\n" + filt + outputs(r.ports), folder, code=None)
assert "there is nothing in /hid/reports or /head/sample" in err, err
print(f"count: replayed datagram pairs equal to the live run's: {pairs}")
print("a recorded run replays to the same bytes")
EOF

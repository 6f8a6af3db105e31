# SPDX-License-Identifier: MIT
# A recorded live run replays to the same datagrams at speed 10, 1 and 0, decoded again or from recorded samples.
from lib import *

r = Pair()
hid("in.hid", 1000, 200)
filt = "[filter pose]\nuse = orientation\nsmoothing = 0.2\n"
tape = "[output tape]\nuse = session\nfrom = head\npath = tape.mcap\nchunk_messages = 100\n"
pose = "[output ptape]\nuse = session\nfrom = pose\npath = pose.mcap\ncompression = lean\n"
js = "[output jtape]\nuse = session\nfrom = pose\npath = json.mcap\nencoding = json\nreports = no\n"
if "HP_HAVE_ZSTD 1" not in open(build + "/have.h").read():
    pose = pose.replace("lean", "none")
p = start("[input head]\nuse = replay\npath = in.hid\n" + filt + outputs(r.ports) + tape + pose + js)
def some_more():
    before = len(r.both[0].got)
    r.both[0].wait(before + 100, p)
some_more()
p.send_signal(signal.SIGUSR1)
p.hears("recentered")
some_more()
write(p.name + ".ini", open(p.ini).read().replace("smoothing = 0.2", "smoothing = 0.9"))
p.send_signal(signal.SIGHUP)
p.hears("smoothing is now 0.9")
some_more()
p.send_signal(signal.SIGUSR1)
p.hears("recentered", times=2)
some_more()
some_more()
err = p.stop()
want = r.take()
check(len(want[0]) > 500 and len(want[0]) == len(want[1]), [len(w) for w in want])
check(err.count("recentered") == 2, err)
pairs = 0
for source, file in (("reports", "tape"), ("reports", "pose"), ("samples", "pose"), ("samples", "json"), ("samples", "tape")):
    for speed in (0, 10) if (source, file) != ("reports", "tape") else (0, 10, 1):
        err = replayed(f"[input head]\nuse = replay\npath = {file}.mcap\nspeed = {speed}\nsource = {source}\n" + filt + outputs(r.ports))
        got = r.take()
        same(f"{file}.mcap, source = {source}, speed {speed}", want, got)
        check(("recorded behind pose" in err) == (source == "samples" and file != "tape"), err)
        pairs += len(got[0])
# a recording of a replay holds the same reports again
err = replayed(f"[input head]\nuse = replay\npath = tape.mcap\nspeed = 0\n" + filt + tape.replace("tape.mcap", "again-%n.mcap"))
replayed(f"[input head]\nuse = replay\npath = again-1.mcap\nspeed = 0\n" + filt + outputs(r.ports))
same("recording of a replay", want, r.take())
# nothing is overwritten
hid("short.hid", 1, 200)
before = os.path.getsize(path_of("tape.mcap"))
replayed(f"[input head]\nuse = replay\npath = short.hid\nspeed = 0\n" + tape)
check(os.path.getsize(path_of("tape.mcap")) == before and os.path.exists(path_of("tape-2.mcap")))
# parts of it: as many as the file has there
times = [int(l) for l in command("export", "pose.mcap", "--csv", "--fields", "time_ns").stdout.splitlines()[1:]]
check(len(times) == len(want[0]), (len(times), len(want[0])))
for window, low, high in (("from = 1s", 10**9, 10**18), ("to = 1s", 0, 10**9), ("from = 1s\nto = 1500ms", 10**9, 15 * 10**8)):
    replayed(f"[input head]\nuse = replay\npath = pose.mcap\nspeed = 0\nsource = samples\n{window}\n" + outputs(r.ports))
    got, expected = r.take(), sum(low <= t <= high for t in times)
    check(len(got[0]) == expected > 0, (window, len(got[0]), expected))
# in a loop time goes on, and the passes are equal up to it
p = start("[input head]\nuse = replay\npath = tape.mcap\nspeed = 50\nloop = yes\n" + outputs(r.ports))
n = len(want[0])
r.both[0].wait(2 * n, p)
p.stop()
got = r.take()
check(got[0][:n] == got[0][n:2 * n], "the second pass differs")
# wrong asks: one sentence each
err = replayed(f"[input head]\nuse = replay\npath = json.mcap\nsource = reports\n" + filt + outputs(r.ports), code=None)
check("json.mcap: no reports were recorded; use source = samples" in err, err)
err = replayed(f"[input head]\nuse = replay\npath = tape.mcap\nfrom = 2s\nto = 1s\n" + filt + outputs(r.ports), code=2)
check("t.ini:5: error: [input head] to = 1s: must be later than `from`" in err, err)
err = replayed(f"[input head]\nuse = replay\npath = tape.mcap\ndevice = 1\n" + filt + outputs(r.ports), code=None)
check("a session file holds one device" in err, err)
write("foreign.mcap", read("tape.mcap")[:60])
err = replayed(f"[input head]\nuse = replay\npath = foreign.mcap\n" + filt + outputs(r.ports), code=None)
check("there is nothing in /hid/reports or /head/sample" in err, err)
print(f"count: replayed datagram pairs equal to the live run's: {pairs}")
end("a recorded run replays to the same bytes")

# SPDX-License-Identifier: MIT
# The commands for session files: info, export, import, cut, recover, verify, diff, plot.
from lib import *
import csv, io, json, re, resource, xml.etree.ElementTree as xml

def tool(*args, code=0, **how):
    p = command(*args, text=False, **how)
    p.out, p.err = p.stdout.decode() if p.stdout is not None else "", p.stderr.decode()
    check(p.returncode == code, f"{' '.join(args)}: exit {p.returncode} instead of {code}\n{p.out[-800:]}\n{p.err[-800:]}")
    return p

def want(condition, *what):
    check(condition, what)

hid("in.hid", 4, 250)
filt = "[filter pose]\nuse = orientation\n"
def record(name, smoothing, extra=""):
    replayed(f"[input head]\nuse = replay\npath = in.hid\nspeed = 0\n[filter pose]\nuse = orientation\nsmoothing = {smoothing}\n"
        f"[output tape]\nuse = session\npath = {name}\n{extra}")
record("a.mcap", 0.2)
record("b.mcap", 0.2)
record("c.mcap", 0.21)

# info
i = json.loads(tool("info", "a.mcap", "--json").out)
topics = {c["topic"]: c["messages"] for c in i["channels"]}
want(topics["/hid/reports"] == 1000 and topics["/head/sample"] == 923 and topics["/events"] >= 1, topics)
want(i["finished"] and abs(i["seconds"] - 3.996) < 1e-6 and i["lost"] == 0 and i["gaps"] == 0, i)
want(i["device"]["name"] == "Synthetic Head Tracker", i["device"])
m = i["metadata"]["headpipe.session"]
want(m["point"] == "pose" and m["filters"] == "pose" and m["pipeline"] == "head (replay) > pose (orientation)", m)
want(m["wall_start"][:2] == "20" and int(m["wall_start_ns"]) > 0 and int(m["monotonic_start_ns"]) > 0, m)
want("[filter pose]\nuse = orientation\nsmoothing = 0.2\n" in i["configuration"], i["configuration"])
text = tool("info", "a.mcap").out
want("smoothing = 0.2" in text and "250.0 Hz" in text and "Synthetic Head Tracker" in text, text)

# fields that came later are behind the others when they are asked for, and in nobody's way
record("e.mcap", 0.2, "estimates = yes\n")
record("ej.mcap", 0.2, "estimates = yes\nencoding = json\n")
late = ["angvel_x", "angvel_y", "angvel_z", "confidence"]
plain = [json.loads(l) for l in tool("export", "a.mcap", "--json").out.splitlines()]
for name in ("e.mcap", "ej.mcap"):
    wide = [json.loads(l) for l in tool("export", name, "--json").out.splitlines()]
    want(list(wide[0]) == list(plain[0]) + late, list(wide[0]))
    want([{k: v for k, v in l.items() if k not in late + ["arrival_ns"]} for l in wide] ==
         [{k: v for k, v in l.items() if k != "arrival_ns"} for l in plain], name)
    head = tool("export", name, "--csv").out.splitlines()[0]
    want(head.endswith(",reset_count,pose_avx_rad_s,pose_avy_rad_s,pose_avz_rad_s,pose_confidence"), head)
    want(tool("export", name, "--json", "--fields", "seq,confidence").out.splitlines()[0] == '{"seq":0,"confidence":0}')
    tool("verify", name)
    tool("pack", name, "-o", name + ".p")
    tool("unpack", name + ".p", "-o", "u" + name)
    want("same" in tool("diff", name, "u" + name).out)
want("confidence" not in tool("export", "a.mcap", "--csv").out)

# export
rows = list(csv.DictReader(io.StringIO(tool("export", "a.mcap", "--csv").out)))
lines = [json.loads(l) for l in tool("export", "a.mcap", "--json").out.splitlines()]
want(len(rows) == len(lines) == 923, len(rows), len(lines))
want(all(float(r["pose_yaw_deg"]) == l["yaw"] and int(r["time_ns"]) == l["time_ns"] for r, l in zip(rows, lines)))
part = [json.loads(l) for l in tool("export", "a.mcap", "--json", "--fields", "time_ns,yaw", "--from", "1s", "--to",
                                    "2s").out.splitlines()]
want(list(part[0]) == ["time_ns", "yaw"] and part[0]["time_ns"] >= 10**9 and part[-1]["time_ns"] <= 2 * 10**9, part[0])
want(tool("export", "a.mcap", "--csv", "--fields", "time_ns,quat_w", "-o", "x.csv").out == "")
want(open(path_of("x.csv")).readline() == "time_ns,pose_qw\n")
want("no field nose" in tool("export", "a.mcap", "--json", "--fields", "nose", code=2).err)
want("nose" in tool("export", "a.mcap", "--csv", "--fields", "nose", code=2).err)
want("--csv, --json or --hid-recorder must be given" in tool("export", "a.mcap", code=2).err)

# hid-recorder there and back: the same reports
back = tool("export", "a.mcap", "--hid-recorder").out
events = lambda t: [l.split()[1:] for l in t.splitlines() if l.startswith("E:")]
want([[float(e[0]), *e[1:]] for e in events(back)] == [[float(e[0]), *e[1:]] for e in events(open(path_of("in.hid")).read())])
write("back.hid", back)
want("1000 reports, 923 samples" in tool("import", "back.hid", "-o", "d.mcap").out)
want(tool("export", "d.mcap", "--hid-recorder").out == back)
tool("verify", "d.mcap")
want("File exists" in tool("import", "back.hid", "-o", "d.mcap", code=1).err)
want("already" in tool("import", "a.mcap", "-o", "e.mcap", code=1).err)
write("bad.hid", "R: 3 05 01\n")
tool("import", "bad.hid", "-o", "bad.mcap", code=1)
want(not os.path.exists(path_of("bad.mcap")))

# an imported recording is what a run would have recorded
replayed("[input head]\nuse = replay\npath = in.hid\nspeed = 0\n[output tape]\nuse = session\npath = live.mcap\n")
tool("import", "in.hid", "-o", "imported.mcap")
want("the files hold the same" in tool("diff", "imported.mcap", "live.mcap").out)

# diff: two runs of the same file are the same content, and hardly anything of them is read
out = tool("diff", "a.mcap", "b.mcap").out
want("the files hold the same" in out, out)
skipped = int(re.search(r"/head/sample: \d+ messages compared, (\d+) in chunks with the same content", out)[1])
want(skipped > 600, out)
out = tool("diff", "a.mcap", "a.mcap").out
want("/head/sample: 0 messages compared, 923 in chunks with the same content" in out, out)
out = tool("diff", "--all", "a.mcap", "b.mcap", code=1).out
want(re.search(r"arrival_ns: -\d+ \+\d+ ns\n", out) and "yaw" not in out, out)
out = tool("diff", "a.mcap", "c.mcap", code=1).out
want(out.startswith("--- a.mcap\n+++ c.mcap\n@@ /head/sample 0.") and out.endswith("the files differ\n"), out)
want(re.search(r"@@ messages \d+ to 923 differ\n", out) and re.search(r"  yaw: -\S+ \+\S+ deg\n", out), out)
want("  yaw          differs by at most " in out, out)
want(tool("diff", "--quiet", "a.mcap", "c.mcap", code=1).out == "")
want(tool("diff", "--quiet", "a.mcap", "b.mcap").out == "")
out = tool("diff", "a.mcap", "c.mcap", "--tolerance", "1e18").out
want("@@" not in out and "differs by at most" in out and "the files hold the same" in out, out)
out = tool("diff", "a.mcap", "c.mcap", "--tolerance", "1e18", "--tolerance", "yaw=0", code=1).out
want(re.search(r"  yaw: -", out) and not re.search(r"  pitch: -", out), out)
# by fields, whichever way samples are written; another compression is no difference
record("aj.mcap", 0.2, "encoding = json\n")
record("cj.mcap", 0.21, "encoding = json\n")
out = tool("diff", "a.mcap", "aj.mcap").out
want("/head/sample: 923 messages compared" in out and "the files hold the same" in out, out)
out = tool("diff", "aj.mcap", "c.mcap", code=1).out
want(out.replace("aj.mcap", "a.mcap").split("\n/hid")[0] == tool("diff", "aj.mcap", "cj.mcap", code=1).out
     .replace("aj.mcap", "a.mcap").replace("cj.mcap", "c.mcap").split("\n/hid")[0], out)
out = tool("diff", "a.mcap", "e.mcap", code=1).out
want("  confidence   only in the second file's messages\n" in out and " 0 differ\n" in out, out)
tool("cut", "a.mcap", "-o", "part.mcap", "--from", "1", "--to", "3")
out = tool("diff", "a.mcap", "part.mcap", code=1).out
want(re.search(r"@@ -messages 1 to \d+, only in the first file\n", out) and " 0 differ, " in out, out)
want("+messages 1 to" in tool("diff", "part.mcap", "a.mcap", code=1).out)
# columns: a third of the size, everything the same, and every command reads it
if "HP_HAVE_ZSTD 1" in open(build + "/have.h").read():
    record("lean.mcap", 0.2, "compression = lean\n")
    want(os.path.getsize(path_of("lean.mcap")) < os.path.getsize(path_of("a.mcap")) / 3, os.path.getsize(path_of("lean.mcap")))
    want("the files hold the same" in tool("diff", "a.mcap", "lean.mcap").out)
    want("good, 1924 messages" in tool("verify", "lean.mcap").out, tool("verify", "lean.mcap").out)
    tool("cut", "lean.mcap", "-o", "plain.mcap")
    tool("cut", "plain.mcap", "-o", "lean2.mcap", "--compression", "lean")
    for name in ("plain.mcap", "lean2.mcap"):
        want("the files hold the same" in tool("diff", "--all", "lean.mcap", name).out, name)
        want(tool("export", "lean.mcap", "--csv").out == tool("export", name, "--csv").out, name)
    tool("recover", "lean.mcap", "-o", "lean3.mcap", "--compression", "lean")
    want("the files hold the same" in tool("diff", "--all", "lean.mcap", "lean3.mcap").out)
    want(json.loads(tool("info", "lean.mcap", "--json").out)["finished"])
# what cannot be read is no difference and no sameness
with open(path_of("a.mcap"), "rb") as f:
    hurt = bytearray(f.read())
hurt[len(hurt) // 2] ^= 1
with open(path_of("hurt.mcap"), "wb") as f:
    f.write(hurt)
p = tool("diff", "c.mcap", "hurt.mcap", code=2)
want("hurt.mcap: " in p.err and "CRC" in p.err, p.err)
want(b"--tolerance yaw=nonsense: must be a number" in command("diff", "a.mcap", "b.mcap", "--tolerance", "yaw=nonsense", text=False).stderr)
p = tool("diff", "a.mcap", "b.mcap", "--tolerance", "yawn=1", code=2)
want("no field yawn is in both files" in p.err, p.err)
tool("diff", "a.mcap", "none.mcap", code=2)
tool("diff", "a.mcap", code=2)
# nowhere to write to: one sentence, and no half file; a wrong column leaves no empty one
for how in ("--csv", "--json", "--hid-recorder"):
    p = subprocess.run(f"'{headpipe}' export a.mcap {how} >/dev/full", shell=True, capture_output=True, cwd=d)
    want(p.returncode == 1 and b"No space left" in p.stderr, how, p.returncode, p.stderr)
    p = subprocess.run([headpipe, "export", "a.mcap", how, "-o", "half"], capture_output=True, cwd=d,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
    want(p.returncode == 1 and b"File too large" in p.stderr and not os.path.exists(path_of("half")), how, p.stderr)
tool("export", "a.mcap", "--csv", "--fields", "nose", "-o", "half", code=2)
want(not os.path.exists(path_of("half")))

# cut, and its parts together are the whole
tool("cut", "a.mcap", "-o", "p.mcap", "--from", "1s", "--to", "2s")
j = json.loads(tool("info", "p.mcap", "--json").out)
want(abs(j["seconds"] - 1) < 0.01 and j["metadata"]["headpipe.session"]["continues"] == "a.mcap", j["seconds"])
want({c["topic"]: c["messages"] for c in j["channels"]}["/events"] == 1, j["channels"])
tool("verify", "p.mcap")
r = Pair()
err = replayed("[input head]\nuse = replay\npath = p.mcap\nspeed = 0\n" + filt + outputs(r.ports))
want("p.mcap continues a.mcap" in err, err)
want(len(r.take()[0]) in range(225, 236))

# damage: every command says so, recover gets the rest
data = bytearray(read("a.mcap"))
data[len(data) // 2] ^= 4
write("hurt.mcap", data)
out = tool("verify", "hurt.mcap", code=1).out
want("damaged: wrong CRC" in out and "faults" in out, out)
out = tool("recover", "hurt.mcap", "-o", "whole.mcap").out
want("1 chunks damaged" in out and "are missing" in out, out)
want("good" in tool("verify", "whole.mcap").out)
want("skipped" in tool("export", "hurt.mcap", "--csv", code=1).err)
k = json.loads(tool("info", "hurt.mcap", "--json").out)
want(k["damaged_chunks"] == 1, k["damaged_chunks"])
write("cut.mcap", data[:len(data) // 3])
want("no end" in tool("info", "cut.mcap").out)
want("cut off" in tool("recover", "cut.mcap", "-o", "cutwhole.mcap").out)
n = {c["topic"]: c["messages"] for c in json.loads(tool("info", "cutwhole.mcap", "--json").out)["channels"]}
want(200 < n["/head/sample"] < 400, n)
write("none.mcap", data[:200])
tool("recover", "none.mcap", "-o", "nothing.mcap", code=1)
want(not os.path.exists(path_of("nothing.mcap")))
# every single byte of a summary that is wrong: verify finds it
summary = data.rfind(b"\x0f\x04\x00\x00\x00\x00\x00\x00\x00")
good = bytearray(read("a.mcap"))
for at in [*range(8, 60, 7), *range(summary, len(good), max(1, (len(good) - summary) // 12))]:
    hurt = bytearray(good)
    hurt[at] ^= 1
    write("h.mcap", hurt)
    tool("verify", "h.mcap", code=1)

# plot
tool("plot", "a.mcap", "-o", "a.svg")
tool("plot", "a.mcap", "-o", "a.svg")
want("does not replace" in tool("plot", "a.mcap", "-o", "a.mcap", code=1).err)
tool("verify", "a.mcap")
# a device's name that is not UTF-8
write("latin.hid", read("in.hid").replace(b"N: Synthetic", b"N: Caf\xe9 <\x22>"))
tool("import", "latin.hid", "-o", "latin.mcap")
want(json.loads(tool("info", "latin.mcap", "--json").out)["device"]["name"].startswith("Caf\ufffd <\">"))
tool("plot", "latin.mcap", "-o", "latin.svg")
xml.parse(path_of("latin.svg"))
svg = xml.parse(path_of("a.svg")).getroot()
paths = [e for e in svg if e.tag.endswith("path")]
want(len(paths) == 3 and all(len(p.get("d")) > 2000 for p in paths), len(paths))
want(any("connected" in (e.findtext("{http://www.w3.org/2000/svg}title") or "") for e in svg))

# archive and back: the same to the last byte of every message, and smaller
tool("pack", "imported.mcap", "-o", "i.hpk")
tool("verify", "i.hpk")
tool("unpack", "i.hpk", "-o", "i2.mcap")
want(read("imported.mcap") == read("i2.mcap"))
want(os.path.getsize(path_of("i.hpk")) * 3 < os.path.getsize(path_of("imported.mcap")))
for name, options in (("e1.mcap", "encoding = json\n"), ("e2.mcap", "compression = zstd\nchunk_messages = 77\n")):
    if "zstd" in options and "no libzstd" in command("import", "in.hid", "-o", "z.mcap", "--compression", "zstd").stderr:
        continue
    record(name, 0.2, options)
    tool("pack", name, "-o", name + ".hpk")
    tool("unpack", name + ".hpk", "-o", "back-" + name)
    out = tool("diff", "--all", name, "back-" + name).out
    want("only in" not in out and "the files hold the same" in out, out)
    tool("verify", "back-" + name)
want("packed already" in tool("pack", "i.hpk", "-o", "j.hpk", code=1).err)
want("not a packed" in tool("unpack", "imported.mcap", "-o", "j.mcap", code=1).err)
want("/packed/head/sample (columns)" in tool("export", "i.hpk", "--csv", code=1).err)
hurt = bytearray(read("i.hpk"))
for at in range(600, len(hurt), len(hurt) // 9):
    bad_one = bytearray(hurt)
    bad_one[at] ^= 16
    write("bad.hpk", bad_one)
    p = command("unpack", "bad.hpk", "-o", "j.mcap")
    want(p.returncode in (0, 1), p.returncode)
    if p.returncode == 0:
        want("the files hold the same" in tool("diff", "--all", "imported.mcap", "j.mcap").out, at)
        os.unlink(path_of("j.mcap"))
    want(not os.path.exists(path_of("j.mcap")))
want("recover" in tool("pack", "hurt.mcap", "-o", "j.hpk", code=1).err and not os.path.exists(path_of("j.hpk")))
# two large messages of another program do not come into one block that unpack would refuse
import struct
rec = lambda op, body: struct.pack("<BQ", op, len(body)) + body
text = lambda t: struct.pack("<I", len(t)) + t
with open(path_of("camera.mcap"), "wb") as f:
    f.write(b"\x89MCAP0\r\n" + rec(1, text(b"") + text(b"other")) + rec(4, struct.pack("<HH", 1, 0) + text(b"/camera") + text(b"raw") + text(b"")))
    for k, n in enumerate((31 << 20, 40 << 20)):
        f.write(rec(5, struct.pack("<HIqq", 1, k, 1000 + k, 1000 + k) + bytes(n)))
tool("pack", "camera.mcap", "-o", "camera.hpk")
tool("unpack", "camera.hpk", "-o", "camera2.mcap")
want("the files hold the same" in tool("diff", "camera.mcap", "camera2.mcap").out)
for f in ("camera.mcap", "camera2.mcap"):
    os.unlink(path_of(f))

# a topic of ours with other contents, and texts that would give orders to the terminal
def foreign(name, *records):
    write(name, b"\x89MCAP0\r\n" + rec(1, text(b"") + text(b"other")) + b"".join(records))
foreign("other.mcap", rec(3, struct.pack("<H", 1) + text(b"x/Y") + text(b"ros2msg") + text(b"float64 yaw\n")),
        rec(4, struct.pack("<HH", 1, 1) + text(b"/head/sample") + text(b"cdr") + text(b"")),
        rec(4, struct.pack("<HH", 2, 0) + text(b"/\x1b[31m") + text(b"raw") + text(b"")),
        rec(5, struct.pack("<HIqq", 1, 0, 5, 5) + b"\0\1\0\0" + bytes(8)), rec(5, struct.pack("<HIqq", 2, 0, 6, 6)))
want("channels: /head/sample (cdr), /\\x1b[31m (raw)" in tool("export", "other.mcap", "--csv", code=1).err)
want("\x1b" not in tool("info", "other.mcap").out + tool("diff", "other.mcap", "a.mcap", code=1).out)
err = replayed("[input head]\nuse = replay\npath = other.mcap\n[output o]\nuse = null\n", code=1)
want("nothing in /hid/reports or /head/sample that can be played; channels: /head/sample (cdr)" in err, err)
# a second connection has a channel of its own, with the same topic
one = rec(4, struct.pack("<HH", 1, 0) + text(b"/hid/reports") + text(b"raw") + text(b"")) + rec(5, struct.pack("<HIqq", 1, 0, 5, 5) + b"x")
foreign("one.mcap", one)
foreign("two.mcap", one, rec(4, struct.pack("<HH", 2, 0) + text(b"/hid/reports") + text(b"raw") + text(b"")) +
        rec(5, struct.pack("<HIqq", 2, 0, 6, 6) + b"y"))
want("only in the second file" in tool("diff", "one.mcap", "two.mcap", code=1).out)
want("only in the first file" in tool("diff", "two.mcap", "one.mcap", code=1).out)
tool("diff", "two.mcap", "two.mcap")
foreign("json.mcap", rec(4, struct.pack("<HH", 1, 0) + text(b"/head/sample") + text(b"json") + text(b"")),
        rec(5, struct.pack("<HIqq", 1, 0, 5, 5) + b'{"seq":'))
for how in ("--csv", "--json"):
    want("1 samples cannot be read" in tool("export", "json.mcap", how, code=1).err)
err = replayed("[input head]\nuse = replay\npath = json.mcap\n[output o]\nuse = null\n", code=1)
want("cannot be read; such are left out" in err, err)

# files that are none
write("text", "hello")
for word in ("info", "verify"):
    want("not an MCAP file" in tool(word, "text", code=1).err)
    want("No such file" in tool(word, "nowhere", code=1).err)
tool("info", code=2)
tool("info", "a.mcap", "--nonsense", code=2)

# the next file at a size or a time; every one replays on its own
record("t-%n.mcap", 0.2, "max_time = 1s\n")
names = sorted(f for f in os.listdir(d) if f.startswith("t-"))
want(names == ["t-1.mcap", "t-2.mcap", "t-3.mcap", "t-4.mcap"], names)
total = 0
for n in names:
    tool("verify", n)
    q = json.loads(tool("info", n, "--json").out)
    total += {c["topic"]: c["messages"] for c in q["channels"]}["/hid/reports"]
    want(q["device"] and q["events"].get("connected") == 1, q)
want(total == 1000, total)
record("new/er/%Y/x-%n.mcap", 0.2)
want(len(os.listdir(d + "/new/er/" + time.strftime("%Y"))) == 1)
record("s-%n.mcap", 0.2, "max_size = 100k\n")
sizes = [os.path.getsize(path_of(f)) for f in os.listdir(d) if f.startswith("s-")]
want(len(sizes) >= 3 and max(sizes) <= 110000, sizes)
# the same where no reports are recorded, because they are not wanted or there are none
record("r-%n.mcap", 0.2, "reports = no\nmax_time = 1s\n")
names = sorted(f for f in os.listdir(d) if f.startswith("r-"))
want(names == ["r-1.mcap", "r-2.mcap", "r-3.mcap", "r-4.mcap"], names)
replayed("[input head]\nuse = synth\nrate = 1000\ncount = 4000\nspeed = 0\n[output tape]\nuse = session\npath = y-%n.mcap\n"
    "max_size = 300k\n")
sizes = [os.path.getsize(path_of(f)) for f in os.listdir(d) if f.startswith("y-")]
want(len(sizes) == 4 and max(sizes) <= 310000, sizes)
end("the commands for session files")

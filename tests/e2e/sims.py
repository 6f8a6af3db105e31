# SPDX-License-Identifier: MIT
# Simulators through the whole program: FlightGear's records are as long as the protocol files say; X-Plane gets its
# datagrams, answers the question for the eye point, and gets its view back at the end; shared memory; the words when
# there is no joystick to be had.
from lib import *
import xml.etree.ElementTree as xml

HEAD = "[input head]\nuse = synth\nmotion = still\nnoise = 0\nrate = {rate}\ncount = {count}\nspeed = {speed}\n" \
       "[filter turned]\nuse = axes\noffset_yaw = -20\noffset_pitch = -10\noffset_roll = 5\n"
def turned(text, rate=100, count=3, speed=0):
    return run(HEAD.format(rate=rate, count=count, speed=speed) + text, "-q")

# flightgear
sizes = {"double": 8, "int": 4}
for name, more in (("headpipe-flightgear", ""), ("headpipe-flightgear-6dof", "translation = yes\nbase_y = 1.2\n")):
    root = xml.parse(f"conf/{name}.xml").getroot().find("generic/input")
    length = int(root.find("record_length").text)
    types = [c.find("type").text for c in root.findall("chunk")]
    check(length == sum(sizes[t] for t in types), f"{name}: record_length")
    p = turned(f"[output fg]\nuse = file\npath = fg.bin\nframing = raw\nencoding = flightgear\n{more}")
    data = read("fg.bin")
    check(p.returncode == 0 and len(data) == 3 * length, f"{name}: {len(data)} bytes {p.stderr}")
    values = struct.unpack("<" + "".join({"double": "d", "int": "i"}[t] for t in types), data[-length:])
    nodes = [c.find("node").text.rsplit("/", 1)[1] for c in root.findall("chunk")]
    got = dict(zip(nodes, values))
    want = {"heading-offset-deg": -20, "pitch-offset-deg": 10, "roll-offset-deg": 5}
    if more:
        want |= {"x-offset-m": 0, "y-offset-m": 1.2, "z-offset-m": 0, "headtracker-debug-status": 1}
    check(got.keys() == want.keys() and all(abs(got[k] - want[k]) < 1e-9 for k in want), f"{name}: {got}")

# xplane
sim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sim.bind(("127.0.0.1", 0))
sim.settimeout(PATIENCE)
began = time.monotonic()
p = start(HEAD.format(rate=200, count=160, speed=1) + f"[output x]\nuse = xplane\nto = 127.0.0.1:{sim.getsockname()[1]}\n"
          "translation = yes\n", "-q")
last, asked, stopped, sets = {}, 0, 0, 0
while True:
    data, peer = sim.recvfrom(2048)
    if data[:5] == b"DREF\0" and len(data) == 509:
        name = data[9:].rstrip(b"\0").decode()
        last[name.rsplit("_", 1)[1]] = struct.unpack("<f", data[5:9])[0]
        sets += name.endswith("psi")
        if name.endswith("_z") and moved is None:
            moved = dict(last)
    elif data[:5] == b"RREF\0" and len(data) == 413:
        frequency, index = struct.unpack("<ii", data[5:13])
        if frequency:
            asked += 1
            moved = None
            sim.sendto(b"RREF," + struct.pack("<if", index, [0.5, 1.25, -2][index]), peer)
        else:
            stopped += 1
            if stopped == 3:
                break
    else:
        check(False, f"xplane: {len(data)} bytes {data[:5]}")
        break
p.ends()
seconds = time.monotonic() - began
near = lambda got, want: got and all(abs(got.get(k, 1e9) - v) < 1e-5 for k, v in want.items())
check(asked == 3, f"xplane: asked {asked}, {p.said()}")
check(near(moved, {"psi": 20, "the": 10, "phi": 5, "x": 0.5, "y": 1.25, "z": -2}), f"xplane: {moved}")
check(near(last, {"psi": 0, "the": 0, "phi": 0, "x": 0.5, "y": 1.25, "z": -2}), f"xplane at the end: {last}")
check(sets < 60 * seconds + 12 and sets < 160, f"xplane: {sets} updates in {seconds} s, the limit is 60 per second")

# opentrack_shm
name = f"/headpipe-e2e-{os.getpid()}"
p = turned(f"[output game]\nuse = opentrack_shm\nname = {name}\n")
try:
    data = open("/dev/shm" + name, "rb").read()
    check(p.returncode == 0 and len(data) == 72 and data[:64] == bytes(64) and data[64] == 1, f"shm: {p.stderr} {data}")
    os.unlink("/dev/shm" + name)
except OSError as e:
    check(False, f"shm: {p.stderr} {e}")

# uinput
if "not built: needs libevdev" in command("modules").stdout:
    print("skip: built without libevdev")
else:
    p = turned(f"[output stick]\nuse = uinput\ndevice = {d}/none\n")
    check(p.returncode == 1 and "the kernel module is not loaded" in p.stderr, f"uinput: {p.returncode} {p.stderr}")
    p = turned("[output stick]\nuse = uinput\ndevice = /dev/null\n")
    check(p.returncode == 1 and "is not the kernel's uinput" in p.stderr, f"uinput: {p.returncode} {p.stderr}")
    p = turned("[output stick]\nuse = uinput\nyaw = X\n")
    check(p.returncode == 2 and "would be the same axis" in p.stderr, f"uinput: {p.returncode} {p.stderr}")
end("simulators")

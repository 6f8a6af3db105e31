# SPDX-License-Identifier: MIT
# OSC in the eyes of other programs: liblo's oscdump, Pure Data's oscparse and Wireshark's dissector read what the
# program sends, for every preset, single messages and bundles. What is not installed is skipped, visibly.
from lib import *
import re

seen = []
if "not built: needs liblo" in command("modules").stdout:
    skip("built without liblo")

# A head that holds still, 40 left, 30 down, 20 to the right, for four seconds of its own time.
HEAD = "[input head]\nuse = synth\nmotion = still\nnoise = 0\nrate = 1\ncount = 4\nspeed = 0\n" \
       "[filter turned]\nuse = axes\noffset_yaw = 40\noffset_pitch = 30\noffset_roll = 20\n"
# name and messages for just that head, as osc_presets.def has them and test_osc checks them
ROWS = {m[1]: [w.split(" ") for w in m[2].split(" | ")] for m in
        re.finditer(r'^OSC_PRESET\((\w+),.*?"(/[^"]*)",\n *"[^"]*"\)$', open("outputs/encoders/osc_presets.def").read(), re.M | re.S)}
PRESETS = list(ROWS)

def send(port, preset):
    p = run(HEAD + f"[output sound]\nuse = udp\nto = 127.0.0.1:{port}\nencoding = osc\npreset = {preset}\n", "-q")
    check(p.returncode == 0 and not p.stderr, f"{preset}: {p.returncode} {p.stderr}")

def expect(preset, got):
    """got: list of (address, [arguments]); the last pose must be there, yaw 40 pitch 30 roll 20"""
    want = [(m[0], [number(w) for w in m[1:]]) for m in ROWS[preset]]
    def same(a, b):
        return len(a) == len(b) and all(i == j if isinstance(j, str) else isinstance(i, float) and abs(i - j) < 3e-3
                                        for i, j in zip(a, b))
    for address, arguments in want:
        check(any(a == address and same(v, arguments) for a, v in got), f"{preset}: no {address} {arguments} in {got[-6:]}")

def number(word):
    try:
        return float(word)
    except ValueError:
        return word.strip('"')

def listens(port):
    return any(f":{port:04X} " in open(f"/proc/net/{table}").read() for table in ("udp", "udp6"))
def heard_by(p, port, out, preset, last):
    """What the program p says in the file out when the preset was sent to it."""
    wait_for(lambda: listens(port), "listening")
    open(out, "w").close()
    send(port, preset)
    text = lambda: open(out, errors="replace").read().replace("\0", "")
    wait_for(lambda: sum(last in l for l in text().split("\n")[:-1]) >= 4, f"4 x {last}", text)
    return text().splitlines()
def port_to_take():
    """Free now; not kept, because those programs do not share a port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

# oscdump: one program per preset, its lines are "time address types arguments"
if shutil.which("oscdump"):
    for preset in PRESETS:
        port, out = port_to_take(), path_of("dump")
        with open(out, "a") as f:
            p = subprocess.Popen(["stdbuf", "-oL", "oscdump", str(port)], stdout=f, stderr=subprocess.DEVNULL)
        running.append(p)
        words = [l.split() for l in heard_by(p, port, out, preset, ROWS[preset][-1][0])]
        expect(preset, [(w[1], [number(x) for x in w[3:]]) for w in words])
        p.kill()
    seen.append("oscdump")
else:
    print("skip: no oscdump (liblo-tools)")

# Pure Data: binary netreceive into oscparse
if shutil.which("pd"):
    port, out = port_to_take(), path_of("pd")
    write("osc.pd", f"#N canvas 0 0 400 300 12;\n#X obj 10 10 netreceive -u -b {port};\n#X obj 10 40 oscparse;\n"
          "#X obj 10 70 list trim;\n#X obj 10 100 print osc;\n#X connect 0 0 1 0;\n#X connect 1 0 2 0;\n#X connect 2 0 3 0;\n")
    with open(out, "a") as f:
        p = subprocess.Popen(["pd", "-nogui", "-noaudio", "-nomidi", "-stderr", "-open", path_of("osc.pd")], stdout=f, stderr=f)
    running.append(p)
    for preset, last in ("iem", "ypr"), ("supperware", "roll"), ("vmc", "Bone"):
        got = []
        for line in heard_by(p, port, out, preset, last):
            if line.startswith("osc: "):
                words = line[5:].split()
                names = [w for w in words if not re.fullmatch(r"-?[\d.]+(e-?\d+)?", w)]
                values = [float(w) for w in words[len(names):]]
                if names[-1:] == ["Head"]:
                    names, values = names[:-1], ["Head"] + values
                got.append(("/" + "/".join(names), values))
        expect(preset, got)
    p.kill()
    seen.append("Pure Data")
else:
    print("skip: no Pure Data (puredata-core)")

# Wireshark: the bytes as a capture; it must find OSC and nothing malformed
if shutil.which("tshark") and shutil.which("text2pcap"):
    packets = []
    for preset in PRESETS:
        run(HEAD + f"[output sound]\nuse = file\npath = one.bin\nencoding = osc\nframing = length32\npreset = {preset}\n", "-q",
            check=True)
        data = read("one.bin")
        while data:
            n = int.from_bytes(data[:4], "big")
            packets.append(data[4:4 + n])
            data = data[4 + n:]
    with open(path_of("hex"), "w") as f:
        for p in packets:
            f.write("".join(f"{i:06x} {p[i:i+16].hex(' ')}\n" for i in range(0, len(p), 16)) + "\n")
    subprocess.run(["text2pcap", "-q", "-u", "9000,9000", f"{d}/hex", f"{d}/osc.pcap"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = subprocess.run(["tshark", "-r", f"{d}/osc.pcap", "--enable-heuristic", "osc_udp", "-V"], capture_output=True,
                          text=True, timeout=PATIENCE).stdout
    found = len(re.findall("^Open Sound Control", text, re.M))
    check(found == len(packets) == 4 * len(PRESETS) and "Malformed" not in text,
          f"tshark: {found} of {len(packets)}: {text[-800:]}")
    seen.append("tshark")
else:
    print("skip: no tshark")
if not seen:
    skip("no program here that reads OSC (liblo-tools, puredata-core, tshark)")
print(f"count: OSC presets {len(PRESETS)}, read back by {', '.join(seen)}")
end("osc")

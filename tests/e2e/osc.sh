#!/bin/sh
# SPDX-License-Identifier: MIT
# OSC in the eyes of other programs: liblo's oscdump, Pure Data's oscparse and Wireshark's dissector read what the
# program sends, for every preset, single messages and bundles. What is not installed is skipped, visibly.
set -u
exec python3 - "${B:-build}/headpipe" <<'END'
import os, re, shutil, socket, subprocess, sys, tempfile, time

headpipe, wrong, seen = os.path.abspath(sys.argv[1]), 0, []
modules = subprocess.run([headpipe, "modules"], capture_output=True, text=True).stdout
if "not built: needs liblo" in modules:
    print("skip: built without liblo")
    sys.exit(77)

def check(ok, what):
    global wrong
    if not ok:
        wrong += 1
        print("wrong:", what)

# A head that holds still, 40 left, 30 down, 20 to the right, for four seconds of its own time.
HEAD = "[input head]\nuse = synth\nmotion = still\nnoise = 0\nrate = 1\ncount = 4\nspeed = 0\n" \
       "[filter turned]\nuse = axes\noffset_yaw = 40\noffset_pitch = 30\noffset_roll = 20\n"
# name and messages for just that head, as osc_presets.def has them and test_osc checks them
ROWS = {m[1]: [w.split(" ") for w in m[2].split(" | ")] for m in
        re.finditer(r'^OSC_PRESET\((\w+),.*?"(/[^"]*)"\)$', open("outputs/encoders/osc_presets.def").read(), re.M | re.S)}
PRESETS = list(ROWS)

def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

def run(folder, port, preset):
    path = os.path.join(folder, "osc.ini")
    with open(path, "w") as f:
        f.write(HEAD + f"[output sound]\nuse = udp\nto = 127.0.0.1:{port}\nencoding = osc\npreset = {preset}\n")
    p = subprocess.run([headpipe, "run", "-q", path], capture_output=True, text=True, timeout=20)
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

def wait_for(process, out, enough):
    end = time.monotonic() + 10
    while time.monotonic() < end and not enough(open(out, errors="replace").read()):
        time.sleep(0.02)

with tempfile.TemporaryDirectory() as d:
    # oscdump: one program per preset, its lines are "time address types arguments"
    if shutil.which("oscdump"):
        for preset in PRESETS:
            port, out = free_port(), os.path.join(d, "dump")
            with open(out, "w") as f:
                p = subprocess.Popen(["stdbuf", "-oL", "oscdump", str(port)], stdout=f, stderr=subprocess.DEVNULL)
            try:
                for _ in range(200): # until it listens
                    if f":{port:04X} " in open("/proc/net/udp").read() + open("/proc/net/udp6").read():
                        break
                    time.sleep(0.02)
                run(d, port, preset)
                last = ROWS[preset][-1][0]
                wait_for(p, out, lambda t: t.count("\n") >= 4 and sum(last in l for l in t.splitlines()) >= 4)
                got = []
                for line in open(out).read().splitlines():
                    words = line.split()
                    got.append((words[1], [number(w) for w in words[3:]]))
                expect(preset, got)
            finally:
                p.kill()
                p.wait()
        seen.append("oscdump")
    else:
        print("skip: no oscdump (liblo-tools)")

    # Pure Data: binary netreceive into oscparse
    if shutil.which("pd"):
        port, out = free_port(), os.path.join(d, "pd")
        with open(os.path.join(d, "osc.pd"), "w") as f:
            f.write(f"#N canvas 0 0 400 300 12;\n#X obj 10 10 netreceive -u -b {port};\n#X obj 10 40 oscparse;\n"
                    "#X obj 10 70 list trim;\n#X obj 10 100 print osc;\n#X connect 0 0 1 0;\n#X connect 1 0 2 0;\n#X connect 2 0 3 0;\n")
        with open(out, "w") as f:
            p = subprocess.Popen(["pd", "-nogui", "-noaudio", "-nomidi", "-stderr", "-open", os.path.join(d, "osc.pd")],
                                 stdout=f, stderr=f)
        try:
            for _ in range(300):
                if f":{port:04X} " in open("/proc/net/udp").read() + open("/proc/net/udp6").read():
                    break
                time.sleep(0.02)
            for preset in ("iem", "supperware", "vmc"):
                open(out, "w").close()
                before = 0
                run(d, port, preset)
                last = {"supperware": "roll", "vmc": "Bone", "iem": "ypr"}[preset]
                wait_for(p, out, lambda t: sum(last in l for l in t.splitlines()) >= 4)
                got = []
                for line in open(out, errors="replace").read().replace("\0", "").splitlines():
                    if line.startswith("osc: "):
                        words = line[5:].split()
                        names = [w for w in words if not re.fullmatch(r"-?[\d.]+(e-?\d+)?", w)]
                        values = [float(w) for w in words[len(names):]]
                        if names[-1:] == ["Head"]:
                            names, values = names[:-1], ["Head"] + values
                        got.append(("/" + "/".join(names), values))
                expect(preset, got)
            seen.append("Pure Data")
        finally:
            p.kill()
            p.wait()
    else:
        print("skip: no Pure Data (puredata-core)")

    # Wireshark: the bytes as a capture; it must find OSC and nothing malformed
    if shutil.which("tshark") and shutil.which("text2pcap"):
        packets = []
        for preset in PRESETS:
            ini = os.path.join(d, "file.ini")
            with open(ini, "w") as f:
                f.write(HEAD + f"[output sound]\nuse = file\npath = {d}/one.bin\nencoding = osc\nframing = length32\n"
                        f"preset = {preset}\n")
            subprocess.run([headpipe, "run", "-q", ini], check=True, timeout=20)
            data = open(os.path.join(d, "one.bin"), "rb").read()
            while data:
                n = int.from_bytes(data[:4], "big")
                packets.append(data[4:4 + n])
                data = data[4 + n:]
        with open(os.path.join(d, "hex"), "w") as f:
            for p in packets:
                f.write("".join(f"{i:06x} {p[i:i+16].hex(' ')}\n" for i in range(0, len(p), 16)) + "\n")
        subprocess.run(["text2pcap", "-q", "-u", "9000,9000", f"{d}/hex", f"{d}/osc.pcap"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = subprocess.run(["tshark", "-r", f"{d}/osc.pcap", "--enable-heuristic", "osc_udp", "-V"], capture_output=True,
                              text=True, timeout=60).stdout
        found = len(re.findall("^Open Sound Control", text, re.M))
        check(found == len(packets) == 4 * len(PRESETS) and "Malformed" not in text,
              f"tshark: {found} of {len(packets)}: {text[-800:]}")
        seen.append("tshark")
    else:
        print("skip: no tshark")
if not seen:
    print("skip: no program here that reads OSC (liblo-tools, puredata-core, tshark)")
    sys.exit(77)
print(f"count: OSC presets {len(PRESETS)}, read back by {', '.join(seen) or 'nobody'}")
sys.exit(1 if wrong else 0)
END

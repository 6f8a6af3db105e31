# SPDX-License-Identifier: MIT
# Datagrams: the default pipeline's bytes, receivers that are absent or late, two outputs on one port, several addresses,
# IPv6, and outputs that cannot send beside some that can.
from lib import *
import ctypes, fcntl, re

packets = [bytes.fromhex(l) for l in open(f"{golden}/pipeline.opentrack")]
texts = [l.rstrip("\n").encode() for l in open(f"{golden}/pipeline.json", encoding="utf-8")]
FILTER = "[filter orientation]\n"

# the reference's bytes, at full speed and in rhythm
for speed in ("0", "8"):
    a, b = Receiver(), Receiver()
    p = run(REPLAY + f"speed={speed}\n" + FILTER + f"[output opentrack_udp]\nto=127.0.0.1:{a.port}\n"
            f"[output json_udp]\nto=127.0.0.1:{b.port}\n")
    check(p.returncode == 0, f"speed {speed}: {p.returncode} {p.stderr}")
    check(a.take() == packets, f"speed {speed}: OpenTrack bytes")
    check(b.take() == texts, f"speed {speed}: JSON bytes")
    check("headpipe: output opentrack_udp: 64 of 64 samples\n" in p.stderr, p.stderr)
    check("headpipe: output json_udp: 64 of 64 samples\n" in p.stderr, p.stderr)

# nobody listens: no complaint, and the one who does gets everything
a, gone = Receiver(), free_port(socket.SOCK_DGRAM)
p = run(REPLAY + "speed=0\n" + FILTER + f"[output game]\nuse=opentrack_udp\nto=127.0.0.1:{gone}\n"
        f"[output other]\nuse=opentrack_udp\nto=127.0.0.1:{a.port}\n", "-q")
check(p.returncode == 0 and p.stderr == "", f"nobody listens: {p.returncode} {p.stderr}")
check(a.take() == packets, "beside a port without a listener")

# two outputs on one port, and one output with three addresses, all in order
a, b = Receiver(), Receiver()
p = run(REPLAY + "speed=0\n" + FILTER + f"[output one]\nuse=opentrack_udp\nto=127.0.0.1:{a.port}\n"
        f"[output two]\nuse=json_udp\nto=127.0.0.1:{a.port}, 127.0.0.1:{b.port} localhost:{b.port}\n", "-q")
both = a.take()
check(both[0::2] == packets and both[1::2] == texts, "two outputs on one port")
check(b.take() == [t for t in texts for _ in "ab"], "several addresses")

# IPv6
try:
    six = Receiver(socket.AF_INET6, "::1")
except OSError:
    print("skip: no IPv6 here")
else:
    p = run(REPLAY + "speed=0\n" + FILTER + f"[output six]\nuse=opentrack_udp\nto=[::1]:{six.port}\n", "-q")
    check(p.returncode == 0 and six.take() == packets, f"IPv6: {p.stderr}")

# started late: it gets what comes from then on
late, a = free_port(socket.SOCK_DGRAM), Receiver()
p = start("[input head]\nuse=synth\nrate=200\n" + f"[output game]\nuse=opentrack_udp\nto=127.0.0.1:{late}, 127.0.0.1:{a.port}\n", "-q")
a.wait(20, p)
check(len(Receiver(port=late).recv()) == 48, "a receiver that starts late")
check(p.stop() == "", "the late one: no clean end")

# one that cannot send does not disturb the other and says so at most once a second
def refused(address):
    """Does the system refuse it here and now?"""
    host, family = address.strip("[]"), socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as s:
            s.sendto(b"x", (host, 9))
        return False
    except OSError:
        return True
def net_of_its_own():
    """A network namespace with nothing but the loopback: every other address is unreachable."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x40000000 if os.geteuid() == 0 else 0x50000000) != 0:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 0x1))  # SIOCSIFFLAGS, IFF_UP
net_of_its_own()
candidates = [c for c in ("[fe80::1]", "240.0.0.1", "[2001:db8::1]", "[ff02::1]", "192.0.2.1") if refused(c)]
if not candidates:
    print("skip: this system refuses no address")
for address in [c + ":9" for c in candidates[:2]]:
    a, began = Receiver(), time.monotonic()
    p = run("[input head]\nuse=synth\nrate=500\ncount=1200\nmotion=still\nnoise=0\n"
            f"[output bad]\nuse=json_udp\nto={address}\n[output good]\nuse=opentrack_udp\nto=127.0.0.1:{a.port}\n")
    told = [l for l in p.stderr.splitlines() if l.startswith("headpipe: warning: output bad: ")]
    count = re.search(r"output bad: (\d+) of 1200 samples(?:, (\d+) failed)?", p.stderr)
    check(p.returncode == 0 and len(a.take()) == 1200, f"{address}: {p.returncode} {p.stderr}")
    check(count and int(count[1]) + int(count[2] or 0) == 1200, f"{address}: {p.stderr}")
    if check(count and count[2], f"{address}: no failures counted"):
        took = time.monotonic() - began
        check(1 <= len(told) <= took + 1, f"{address}: told {len(told)} times in {took:.1f} s")
        check(all(re.fullmatch(r"headpipe: warning: output bad: (send failed: [A-Z][a-z ]+; going on|"
                               r"\d+ sends failed in the last \d+ s: [A-Z][a-z ]+)", l) for l in told), f"{address}: {told}")
        print(f"count: {address} refused {count[2]}/1200, told at most once a second")

# a limited rate: some of the same datagrams, in order, the newest last
a = Receiver()
p = run(REPLAY + "speed=0\n" + FILTER + f"[output o]\nuse=json_udp\nto=127.0.0.1:{a.port}\nrate=10\n", "-q")
got = [texts.index(t) for t in a.take()]
check(p.returncode == 0 and p.stderr == "" and got == sorted(got) and got[-1] == 63 and 10 < len(got) < 18, f"rate: {got}")
end("network")

#!/bin/sh
# SPDX-License-Identifier: MIT
# Output tcp: server and client, several peers, framing, a peer that does not read, one that is not there, one that goes.
set -eu
python3 - "${B:-build}/headpipe" <<'EOF'
import json, os, resource, socket, subprocess, sys, tempfile, threading, time
headpipe, bad = os.path.abspath(sys.argv[1]), 0
def check(ok, what):
    global bad
    if not ok:
        bad += 1
        print("wrong:", what)
def free_port():
    s = socket.create_server(("127.0.0.1", 0))
    port = s.getsockname()[1]
    s.close()
    return port
SYNTH = "[input head]\nuse = synth\nrate = {rate}\ncount = {count}\n"
def start(text, rate=500, count=500):
    path = os.path.join(d, f"t{time.monotonic_ns()}.ini")
    open(path, "w").write(SYNTH.format(rate=rate, count=count) + text)
    return subprocess.Popen([headpipe, "run", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
def connect(port, size=None):
    for _ in range(500):
        s = socket.socket()
        if size:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        s.settimeout(20)
        try:
            s.connect(("127.0.0.1", port))
            return s
        except ConnectionRefusedError:
            s.close()
            time.sleep(0.01)
    raise SystemExit("nobody listens")
def drain(s, into):
    try:
        while data := s.recv(65536):
            into += data
    except OSError as e:
        into += b"error " + str(e).encode()
def unframe(data):
    out = []
    while len(data) >= 4:
        n = int.from_bytes(data[:4], "big")
        if len(data) - 4 < n:
            break
        out.append(data[4:4 + n])
        data = data[4 + n:]
    return out, data
def sequence(records):  # hds: the number of each sample
    hexa = b"".join(len(r).to_bytes(4, "big") + r for r in records)
    p = subprocess.run([headpipe, "hds", "decode", "--json", "--framing=length32"], input=hexa, capture_output=True)
    return [int(json.loads(l)["body"]["v"][0][1]["v"]) for l in p.stdout.splitlines()]
with tempfile.TemporaryDirectory() as d:
    # a server, two clients: whole lines, in step with each other
    port = free_port()
    p = start(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{port}\n", count=400)
    got = [bytearray(), bytearray()]
    threads = [threading.Thread(target=drain, args=(connect(port), g)) for g in got]
    [t.start() for t in threads]
    [t.join() for t in threads]
    err = p.communicate(timeout=20)[1]
    check(p.returncode == 0 and "warn" not in err, "server: " + err)
    for g in got:
        lines = bytes(g).splitlines()
        check(len(lines) > 50 and g.endswith(b"}\n") and all(json.loads(l)["version"] == 2 for l in lines), f"{len(lines)} lines")
    check(bytes(got[0]).endswith(bytes(got[1])[-5000:]), "the clients saw different ends")
    # a client that never reads is dropped; the other one loses nothing, and the run takes no longer
    port = free_port()
    p = start(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{port}\nencoding=hds\nframing=length32\nbuffer=64\n", rate=4000, count=8000)
    stuck = connect(port, 2048)
    data = bytearray()
    reader = threading.Thread(target=drain, args=(connect(port), data))
    reader.start()
    reader.join()
    err = p.communicate(timeout=20)[1]
    check("too slow" in err and "1 ended because" in err, "slow client: " + err)
    records, rest = unframe(bytes(data))
    numbers = sequence(records)
    check(not rest and len(numbers) > 3000 and numbers == list(range(numbers[0], 8000)), f"the quick client: {len(numbers)} records")
    behind = bytearray()
    drain(stuck, behind)
    records, rest = unframe(bytes(behind))
    numbers = sequence(records)
    check(numbers and numbers == list(range(numbers[0], numbers[0] + len(numbers))), "the slow client got damaged frames")
    # more clients than allowed
    port = free_port()
    p = start(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{port}\nclients=1\n", count=300)
    one, two = connect(port), connect(port)
    end = bytearray()
    drain(two, end)
    check(len(end) < 2000, "the second client was served")
    drain(one, end)
    err = p.communicate(timeout=20)[1]
    check("more than 1 clients" in err and len(end) > 10000, "too many clients: " + err)
    # a client of two servers: one is there, goes and comes back; the other never answers
    server = socket.create_server(("127.0.0.1", 0))
    port, nobody = server.getsockname()[1], free_port()
    p = start(f"[output c]\nuse=tcp\nto=127.0.0.1:{port}, 127.0.0.1:{nobody}\n", rate=200, count=250)
    server.settimeout(20)
    first = server.accept()[0]
    a = first.recv(1000)
    first.close()
    second = server.accept()[0]
    second.settimeout(20)
    b = bytearray()
    drain(second, b)
    err = p.communicate(timeout=20)[1]
    check(a.startswith(b'{"version":2') and bytes(b).startswith(b'{"version":2'), "a reconnect begins in the middle of a line")
    check(p.returncode == 0 and f"port {nobody}: Connection refused; trying again" in err and err.count("refused") == 1, "client: " + err)
    check(f"port {port}: has closed the connection" in err, "client, closed: " + err)
    # a server that closes every connection at once is tried less and less often, and does not fill the log
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.1)
    p = start(f"[output c]\nuse=tcp\nto=127.0.0.1:{server.getsockname()[1]}\n", rate=200, count=600)
    met = 0
    while p.poll() is None:
        try:
            server.accept()[0].close()
            met += 1
        except TimeoutError:
            pass
    err = p.communicate(timeout=20)[1]
    check(2 <= met <= 5 and err.count("has closed the connection") == met, f"a server that closes: {met} times, {err}")
    # no descriptor left: the newest client is turned away, and the loop does not turn in circles
    port = free_port()
    p = start(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{port}\nclients=100\n", rate=10, count=30)
    connect(port).close()
    resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (25, 25))
    crowd = [connect(port) for _ in range(30)]
    time.sleep(0.3)
    cpu = lambda: sum(map(int, open(f"/proc/{p.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    before = cpu()
    time.sleep(1)
    used = cpu() - before
    err = p.communicate(timeout=20)[1]
    check(p.returncode == 0 and used < 0.1 and "no file descriptor is left" in err, f"no descriptor: {used} s, {err}")
    # idle: no client, no wake-ups beyond the samples'; and wrong options
    for text, word in (("", "either listen"), ("listen=:1\nto=:2\n", "either listen"), ("buffer=1\nlisten=:1\n", "64")):
        p = start("[output s]\nuse=tcp\n" + text)
        err = p.communicate(timeout=20)[1]
        check(p.returncode == 2 and word in err, f"{text}: {err}")
    taken = socket.create_server(("127.0.0.1", 0))
    p = start(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{taken.getsockname()[1]}\n")
    err = p.communicate(timeout=20)[1]
    check(p.returncode == 1 and "Address already in use" in err, "port taken: " + err)
print("output tcp:", "as it should be" if not bad else f"{bad} wrong")
sys.exit(bad != 0)
EOF

# SPDX-License-Identifier: MIT
# Output tcp: server and client, several peers, framing, a peer that does not read, one that is not there, one that goes.
from lib import *
import json, resource

def begin(text, rate=500, count=0):
    return start(f"[input head]\nuse = synth\nrate = {rate}\ncount = {count}\n" + text)
def connect(port, size=None):
    """A connection to a server that is about to listen."""
    def one():
        s = socket.socket()
        if size:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        s.settimeout(PATIENCE)
        try:
            s.connect(("127.0.0.1", port))
            return s
        except ConnectionRefusedError:
            s.close()
    return wait_for(one, "a listener")
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
    p = command("hds", "decode", "--json", "--framing=length32", input=hexa, text=False)
    return [int(json.loads(l)["body"]["v"][0][1]["v"]) for l in p.stdout.splitlines()]
class Reader(threading.Thread):
    """Reads a connection to its end."""
    def __init__(self, s):
        super().__init__(daemon=True)
        self.s, self.data = s, bytearray()
        self.start()
    def run(self):
        drain(self.s, self.data)
    def all(self):
        self.join(PATIENCE)
        check(not self.is_alive(), "a connection does not end")
        return bytes(self.data)

# a server, two clients: whole lines, in step with each other
port = free_port()
p = begin(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{port}\n")
readers = [Reader(connect(port)) for _ in "ab"]
wait_for(lambda: all(r.data.count(b"\n") > 100 for r in readers), "100 lines", p.said)
said = p.stop()
got = [r.all() for r in readers]
check("warn" not in said, "server: " + said)
for g in got:
    lines = g.splitlines()
    check(len(lines) > 100 and g.endswith(b"}\n") and all(json.loads(l)["version"] == 2 for l in lines), f"{len(lines)} lines")
short, long = sorted(got, key=len)
check(long.endswith(short), "the clients saw different ends")
# a client that never reads is dropped; the other one loses nothing, and what is sent to it does not stop
port = free_port()
p = begin(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{port}\nencoding=hds\nframing=length32\nbuffer=64\n", rate=4000)
stuck = connect(port, 2048)
quick = Reader(connect(port))
p.hears("too slow")
after = len(quick.data)
wait_for(lambda: len(quick.data) > after + 200000, "more for the quick client", p.said)
said = p.stop()
total = samples_of(said)
check("1 ended because" in said, "slow client: " + said)
records, rest = unframe(quick.all())
numbers = sequence(records)
check(not rest and numbers and numbers == list(range(numbers[0], total)), f"the quick client: {len(numbers)} records of {total}")
records, rest = unframe(Reader(stuck).all())
numbers = sequence(records)
check(numbers and numbers == list(range(numbers[0], numbers[0] + len(numbers))), "the slow client got damaged frames")
# more clients than allowed
port = free_port()
p = begin(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{port}\nclients=1\n")
one = Reader(connect(port))
wait_for(lambda: len(one.data) > 2000, "lines", p.said)
two = Reader(connect(port)).all()
check(len(two) < 2000, "the second client was served")
before = len(one.data)
wait_for(lambda: len(one.data) > before + 2000, "more lines", p.said)
check("more than 1 clients" in p.stop(), "too many clients: " + p.said())
# a client of two servers: one is there, goes and comes back; the other never answers
server = socket.create_server(("127.0.0.1", 0))
port, nobody = server.getsockname()[1], free_port()
p = begin(f"[output c]\nuse=tcp\nto=127.0.0.1:{port}, 127.0.0.1:{nobody}\n", rate=200)
server.settimeout(PATIENCE)
first = server.accept()[0]
a = first.recv(1000)
first.close()
second = Reader(server.accept()[0])
wait_for(lambda: len(second.data) > 5000, "lines", p.said)
said = p.stop()
check(a.startswith(b'{"version":2') and second.all().startswith(b'{"version":2'), "a reconnect begins in the middle of a line")
check(f"port {nobody}: Connection refused; trying again" in said and said.count("refused") == 1, "client: " + said)
check(f"port {port}: has closed the connection" in said, "client, closed: " + said)
# a server that closes every connection at once is tried less and less often, and does not fill the log
server = socket.create_server(("127.0.0.1", 0))
server.settimeout(PATIENCE)
p = begin(f"[output c]\nuse=tcp\nto=127.0.0.1:{server.getsockname()[1]}\n", rate=200)
met = []
for _ in range(4):
    s = server.accept()[0]
    met.append(time.monotonic())
    s.close()
p.hears("has closed the connection", times=4)
said = p.stop()
check(met[3] - met[0] > 1.5, f"a server that closes is met {[t - met[0] for t in met]} s after the first time")
check(said.count("has closed the connection") <= 5, "a server that closes: " + said)
# no descriptor left: the newest client is turned away, and the loop does not turn in circles
port = free_port()
p = begin(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{port}\nclients=100\n", rate=10)
connect(port).close()
resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (25, 25))
crowd = [connect(port) for _ in range(30)]
p.hears("no file descriptor is left")
cpu = lambda: sum(map(int, open(f"/proc/{p.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
before = cpu()
time.sleep(1)
used = cpu() - before
check(used < 0.25, f"no descriptor: {used} s of processor time in a second")
p.stop()
# wrong options
for text, word in (("", "either listen"), ("listen=:1\nto=:2\n", "either listen"), ("buffer=1\nlisten=:1\n", "64")):
    p = begin("[output s]\nuse=tcp\n" + text)
    check(word in p.ends(2), f"{text}: {p.said()}")
taken = socket.create_server(("127.0.0.1", 0))
p = begin(f"[output s]\nuse=tcp\nlisten=127.0.0.1:{taken.getsockname()[1]}\n")
check("Address already in use" in p.ends(1), "port taken: " + p.said())
end("output tcp")

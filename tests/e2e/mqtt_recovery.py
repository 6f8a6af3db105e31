#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mqtt_recovery.py - every way a connection to an MQTT broker can end or not begin, in every way it can be made.

Rows: plain, user and password, TLS with the system's certificates, TLS with ca_file. Columns: broker down at start,
restarted, killed, one that stops answering, and what is refused for good until somebody mends it. With a real mosquitto.
Prints a table: samples that came in, were sent, were lost, and the CPU time of the process. Samples that the broker did
not get must be named in the last line, and nothing may spin."""
import os, re, shutil, signal, socket, subprocess, threading, time
from lib import Checks, HEADPIPE, free_port, scratch, skip, wait_for

os.environ["PATH"] += ":/usr/sbin"
for tool in ("mosquitto", "mosquitto_passwd", "openssl"):
    if not shutil.which(tool):
        skip(f"{tool} is not installed")
if re.search("mqtt .*not built", subprocess.run([HEADPIPE, "modules"], capture_output=True, text=True).stdout):
    skip("headpipe is built without libmosquitto")

checks = Checks("mqtt recovery")
check = checks.check
d = scratch()


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, cwd=d, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def certificates():
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    for ca in ("ca", "other"):
        openssl("req", "-x509", *key, "-days", "2", "-subj", f"/CN={ca}", "-keyout", ca + ".key", "-out", ca + ".pem")
    for name, alt in (("srv", "IP:127.0.0.1,DNS:localhost"), ("wrong", "DNS:elsewhere.example")):
        openssl("req", *key, "-subj", f"/CN={name}", "-keyout", name + ".key", "-out", name + ".csr")
        open(f"{d}/ext", "w").write(f"subjectAltName={alt}\n")
        openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext", "-out", name + ".pem")
    subprocess.run(["mosquitto_passwd", "-b", "-c", f"{d}/users", "pilot", "secret"], check=True, stderr=subprocess.DEVNULL)
    open(f"{d}/pass", "w").write("secret\n")
    os.chmod(f"{d}/pass", 0o600)


class Broker:
    """A mosquitto on a port of its own that can be ended and started again."""

    def __init__(self, tls=False, password=False, cert="srv", more="", start=True):
        self.port = free_port()
        self.conf = f"{d}/broker{self.port}.conf"
        self.set(tls, password, cert, more)
        if start:
            self.start()

    def set(self, tls=False, password=False, cert="srv", more=""):
        text = f"user root\nlistener {self.port} 127.0.0.1\n"
        text += f"allow_anonymous false\npassword_file {d}/users\n" if password else "allow_anonymous true\n"
        if tls:
            text += f"cafile {d}/ca.pem\ncertfile {d}/{cert}.pem\nkeyfile {d}/{cert}.key\n"
        open(self.conf, "w").write(text + more)

    def start(self):
        self.log = open(self.conf + ".log", "a")
        self.p = subprocess.Popen(["mosquitto", "-v", "-c", self.conf], stdout=self.log, stderr=self.log)
        wait_for(lambda: f":{self.port:04X} " in open("/proc/net/tcp").read() or self.p.poll() is not None, "the broker listens")

    def end(self, how=signal.SIGTERM):
        self.p.send_signal(signal.SIGCONT)
        self.p.send_signal(how)
        self.p.wait(60)

    def received(self, client=""):
        """Poses that reached it."""
        return sum("Received PUBLISH" in l and "/pose'" in l for l in open(self.conf + ".log", errors="replace"))


class Run:
    """headpipe with a synthetic head at 50 Hz and one output to the broker."""

    def __init__(self, name, broker, more="", env=None, rate=50):
        self.ini = f"{d}/{name}.ini"
        open(self.ini, "w").write(f"[input head]\nuse = synth\nrate = {rate}\n[output cloud]\nuse = mqtt\nbroker = 127.0.0.1:{broker.port}\nqueue = 100\nqos = 1\n{more}")
        self.log = open(self.ini + ".log", "w")
        self.p = subprocess.Popen([HEADPIPE, "run", self.ini], stdout=self.log, stderr=self.log, env={**os.environ, **(env or {})}, cwd=d)

    def said(self):
        return open(self.ini + ".log").read()

    def told(self, text):
        wait_for(lambda: text in self.said(), f"{os.path.basename(self.ini)} says `{text}`", show=self.said)

    def connections(self):
        return self.said().count("connected to 127.0.0.1")

    def connected(self, times):
        wait_for(lambda: self.connections() >= times, f"{os.path.basename(self.ini)} is connected for the {times}. time", show=self.said)

    def cpu(self):
        f = open(f"/proc/{self.p.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        cpu = self.cpu()
        self.p.send_signal(signal.SIGINT)
        self.p.wait(60)
        said = self.said()
        total = int(re.search(r"input head: (\d+) samples", said).group(1))
        m = re.search(r"(\d+) samples sent, (\d+) dropped because the broker was slow, (\d+) while it was away, (\d+) on their way", said)
        sent, slow, away, way = (int(x) for x in m.groups()) if m else (total, 0, 0, 0)
        check(sent + slow + away + way == total, f"{self.ini}: {total} samples, but told {sent} + {slow} + {away} + {way}: {said}")
        self.sure, self.perhaps = sent, way
        return total, sent, total - sent, cpu


KINDS = {
    "plain": ({}, "", None),
    "password": ({"password": True}, "user = pilot\npassword_file = pass\n", None),
    "tls, system": ({"tls": True}, "tls = yes\n", {"SSL_CERT_FILE": f"{d}/ca.pem"}),
    "tls, ca_file": ({"tls": True, "password": True}, "tls = yes\nca_file = ca.pem\nuser = pilot\npassword_file = pass\n", None),
}
table = []


def row(kind, outage, run, broker=None):
    total, sent, lost, cpu = run.end()
    table.append((kind, outage, total, sent, lost, cpu))
    # a spinning thread costs all of the time that the row lasts; a connection costs some milliseconds
    check(cpu < 0.25 * total / 50 + 0.25, f"{kind}, {outage}: {cpu:.2f} s of CPU for {total / 50:.0f} s")
    if broker:
        # with qos = 1 what the broker has answered is sent; of the rest it may have got some
        got = broker.received()
        check(run.sure <= got <= run.sure + run.perhaps, f"{kind}, {outage}: told {sent} as sent and {run.perhaps} on their way, the broker has got {got}")
        broker.end()


def outages(kind):
    conf, options, env = KINDS[kind]
    short = re.sub(r"\W+", "_", kind)
    # not there at the start
    b = Broker(**conf, start=False)
    r = Run(short + "_start", b, options, env)
    r.told("Connection refused")
    b.start()
    r.connected(1)
    wait_for(lambda: b.received() > 5, "poses")
    row(kind, "down at start", r, b)
    # restarted as a service is, and killed: a second away
    for what, how in (("restarted, 2 s", signal.SIGTERM), ("killed, 2 s", signal.SIGKILL)):
        b = Broker(**conf)
        r = Run(short + "_" + what[:3], b, options, env)
        r.connected(1)
        wait_for(lambda: b.received() > 5, "poses")
        b.end(how)
        time.sleep(2)  # the outage that is asked for, not a wait for something
        before = b.received()
        b.start()
        r.connected(2)
        wait_for(lambda: b.received() > before + 5, "poses again")
        row(kind, what, r, b)
    # the line is dead and nobody says so: the broker's process stands still, its machine still acknowledges
    b = Broker(**conf)
    r = Run(short + "_half", b, options + "keepalive = 5s\n", env)
    r.connected(1)
    wait_for(lambda: b.received() > 5, "poses")
    b.p.send_signal(signal.SIGSTOP)
    r.told("no sign of life from the broker")
    b.end(signal.SIGKILL)
    b.start()
    r.connected(2)
    row(kind, "half-open", r)
    b.end()


def refusals():
    """Each cause is said at once, with its cure; and when it is mended, the connection comes."""
    tls = "tls = yes\nca_file = other.pem\n"
    for what, conf, options, env, text, mended in (
        ("untrusted, ca_file", {"tls": True}, tls, None, "not signed by an authority in", None),
        ("untrusted, system", {"tls": True}, "tls = yes\n", {"SSL_CERT_FILE": f"{d}/other.pem"}, "ca_file = FILE names one to trust", None),
        ("other name", {"tls": True, "cert": "wrong"}, "tls = yes\nca_file = ca.pem\n", None, "made out for another name than `127.0.0.1`", {"tls": True}),
        ("wrong password", {"password": True}, "user = pilot\npassword = no\n", None, "refuses this user and password", {}),
        ("no user", {"password": True}, "", None, "wants a user and a password: set `user`", {}),
        ("plain to TLS", {"tls": True}, "", None, "does this port want `tls = yes`?", {}),
        ("TLS to plain", {}, "tls = yes\nca_file = ca.pem\n", None, "is this the port for TLS", {"tls": True}),
    ):
        b = Broker(**conf)
        r = Run("refused_" + re.sub(r"\W+", "_", what), b, options, env)
        r.told(text)
        asked = r.said().count("trying again")
        if mended is not None:
            b.end()
            b.set(**mended)
            b.start()
            r.connected(1)
        check(asked <= 2, f"{what}: told {asked} times: {r.said()}")
        row("refused", what, r)
        b.end()
    # what the access list says is known only for messages that are answered: the status is, poses are with qos = 1
    open(f"{d}/acl", "w").write("topic read #\n")
    b = Broker(more=f"acl_file {d}/acl\n")
    r = Run("acl", b)
    r.told("its access list must allow the topic")
    check(r.said().count("access list") == 1, "acl: " + r.said())
    total, sent, lost, cpu = r.end()
    check(sent == 0, f"acl: {sent} told as sent")
    table.append(("refused", "access list", total, sent, lost, cpu))
    b.end()


def same_client_id():
    """Two clients with one client_id throw each other out: named, and less and less often."""
    b = Broker()
    a = Run("twin_a", b, "client_id = headset\ntopic = a/pose\n")
    a.connected(1)
    z = Run("twin_b", b, "client_id = headset\ntopic = b/pose\n")
    for r in (a, z):
        r.told("client_id `headset`")
    # pauses grow although every connection succeeds: 20 connections take a while longer each
    wait_for(lambda: open(b.conf + ".log", errors="replace").read().count("already connected, closing old") >= 6, "six times")
    for r in (a, z):
        lines = r.said().count("\n")
        check(lines < 12, f"{lines} lines in the log of a twin: {r.said()}")
    for r in (a, z):
        row("same client_id", "both at once", r)
    b.end()


class Fake:
    """Speaks just enough MQTT to refuse what a mosquitto with an access list cannot refuse, or to be an old broker."""

    def __init__(self, old):
        self.old, self.levels = old, []
        self.s = socket.create_server(("127.0.0.1", 0))
        self.port = self.s.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def packet(self, c):
        head, size, shift = c.recv(1), 0, 0
        while head:
            b = c.recv(1)[0]
            size |= (b & 127) << shift
            shift += 7
            if b < 128:
                return head[0], c.recv(size, socket.MSG_WAITALL) if size else b""
        return 0, b""

    def client(self, c):
        _, connect = self.packet(c)
        level = connect[6]
        self.levels.append(level)
        if self.old and level != 4:
            c.sendall(b"\x20\x02\x00\x01")  # CONNACK: unacceptable protocol version
            c.close()
            return
        c.sendall(b"\x20\x03\x00\x00\x00" if level == 5 else b"\x20\x02\x00\x00")
        while True:
            kind, body = self.packet(c)
            if not kind:
                return
            if kind == 0x82:
                c.sendall(b"\x90\x04" + body[:2] + b"\x00\x87")  # SUBACK: not authorized

    def serve(self):
        while True:
            threading.Thread(target=self.client, args=(self.s.accept()[0],), daemon=True).start()


def listening():
    """The input's side: a refusal is named, a restart is lived through."""

    def ear(name, port):
        ini = f"{d}/{name}.ini"
        open(ini, "w").write(f"[input far]\nuse = mqtt\nbroker = 127.0.0.1:{port}\n[output null]\nuse = null\n")
        log = open(ini + ".log", "w")
        p = subprocess.Popen([HEADPIPE, "run", ini], stdout=log, stderr=log)
        return p, lambda: open(ini + ".log").read()

    def end(p):
        p.send_signal(signal.SIGINT)
        p.wait(60)

    p, said = ear("refused_ear", Fake(old=False).port)
    wait_for(lambda: "does not allow listening to this topic" in said(), "a refused subscription is told", show=said)
    end(p)
    old = Fake(old=True)
    p, said = ear("old_broker", old.port)
    wait_for(lambda: "connected to" in said(), "an old broker is asked in its own words", show=said)
    check(old.levels == [5, 4] and "trying again" not in said(), f"old broker: {old.levels} {said()}")
    end(p)
    b = Broker()
    p, said = ear("ear", b.port)
    wait_for(lambda: "connected to" in said(), "the input connects", show=said)
    b.end()
    b.start()
    wait_for(lambda: said().count("connected to") == 2, "the input comes back", show=said)
    end(p)
    b.end()


certificates()
for kind in KINDS:
    outages(kind)
refusals()
same_client_id()
listening()
print(f"{'connection':16} {'outage':20} {'samples':>8} {'sent':>8} {'lost':>8} {'CPU, s':>8}")
for kind, outage, total, sent, lost, cpu in table:
    print(f"{kind:16} {outage:20} {total:8} {sent:8} {lost:8} {cpu:8.2f}")
checks.end()

#!/bin/sh
# SPDX-License-Identifier: MIT
# Output mqtt and input mqtt against a real mosquitto: topics, QoS, status and last will, a broker that comes late, goes,
# hangs; TLS, user and password.
set -eu
for tool in mosquitto mosquitto_sub mosquitto_pub mosquitto_passwd openssl; do
	PATH=$PATH:/usr/sbin
	command -v $tool >/dev/null || { echo "skip: $tool is not installed"; exit 77; }
done
if "${B:-build}/headpipe" modules | grep -q 'mqtt .*not built'; then
	echo "skip: headpipe is built without libmosquitto"
	exit 77
fi
python3 - "${B:-build}/headpipe" <<'EOF'
import json, os, signal, socket, subprocess, sys, tempfile, time
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
def wait_for(what, test):
    for _ in range(1000):
        if test():
            return
        time.sleep(0.02)
    check(False, "waited in vain: " + what)
def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False
def broker(port, more=""):
    conf = os.path.join(d, f"broker{port}.conf")
    open(conf, "w").write(f"user root\nlistener {port} 127.0.0.1\n" + (more or "allow_anonymous true\n"))
    p = subprocess.Popen(["mosquitto", "-c", conf], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for("the broker", lambda: answers(port))
    return p
def start(text, name="t"):
    path = os.path.join(d, name + ".ini")
    open(path, "w").write(text)
    log = open(path + ".log", "w")
    p = subprocess.Popen([headpipe, "run", path], stdout=log, stderr=log)
    p.said = lambda: open(path + ".log").read()
    return p
def finish(p, code=0):
    p.wait(60)
    check(p.returncode == code, f"exit {p.returncode}: {p.said()}")
    return p.said()
class Listener:  # mosquitto_sub with topic, retained flag and payload as JSON lines
    def __init__(self, port, topic="#"):
        self.path = os.path.join(d, f"sub{time.monotonic_ns()}")
        self.p = subprocess.Popen(["mosquitto_sub", "-p", str(port), "-t", topic, "-t", "probe", "-q", "2", "-F", "%t|%r|%x"], stdout=open(self.path, "w"))
        self.port = port
        # it is there when it has heard something retained
        subprocess.run(["mosquitto_pub", "-p", str(port), "-t", "probe", "-m", "p", "-r"], check=True)
        wait_for("mosquitto_sub", lambda: self.heard("probe"))
    def heard(self, topic):
        rows = (l.split("|") for l in open(self.path).read().splitlines())
        return [(int(r[1]), bytes.fromhex(r[2])) for r in rows if len(r) == 3 and r[0] == topic]
    def end(self):
        self.p.kill()
        self.p.wait()
SYNTH = "[input head]\nuse = synth\nrate = {rate}\ncount = {count}\n"
with tempfile.TemporaryDirectory() as d:
    port = free_port()
    b = broker(port)
    ear = Listener(port)
    status = lambda: [m for _, m in ear.heard("headpipe/cloud/status")]
    out = f"[output cloud]\nuse = mqtt\nbroker = 127.0.0.1:{port}\n"
    # every sample once the connection stands; status; another encoding and a topic with the device's name
    p = start(SYNTH.format(rate=200, count=300) + out + "qos = 1\nqueue = 100\n[output hds]\nuse = mqtt\nencoding = hds\n"
              f"broker = 127.0.0.1:{port}\ntopic = rooms/{{device}}/{{name}}\nstatus = no\n[output file]\nuse = file\npath = all.jsonl\n")
    said = finish(p)
    wait_for("offline", lambda: b"offline" in status())
    all_lines = open(os.path.join(d, "all.jsonl"), "rb").read().splitlines()
    poses = [m for _, m in ear.heard("headpipe/cloud/pose")]
    check(len(all_lines) == 300 and len(poses) > 200 and poses == all_lines[-len(poses):], f"{len(poses)} poses: {said}")
    time.sleep(0.2)  # a last will would come now
    check(status() == [b"online", b"offline"], f"status {status()}")
    packets = [m for _, m in ear.heard("rooms/headpipe synth/hds")]
    got = subprocess.run([headpipe, "hds", "decode", "--json"], input=packets[-1] if packets else b"", capture_output=True).stdout
    check(len(packets) > 200 and b'"v":"299"' in got, f"hds: {len(packets)}")
    # killed: the broker says so itself
    p = start(SYNTH.format(rate=200, count=100000) + out)
    wait_for("online", lambda: status()[2:] == [b"online"])
    p.kill()
    p.wait()
    wait_for("last will", lambda: status()[3:] == [b"offline"])
    late = Listener(port, "headpipe/cloud/status")
    wait_for("retained", lambda: late.heard("headpipe/cloud/status"))
    check(late.heard("headpipe/cloud/status")[0] == (1, b"offline"), "the status is not retained")
    late.end()
    # through the broker into another headpipe; what was kept by the broker and what others say does not count
    pub = lambda topic, text, *more: subprocess.run(["mosquitto_pub", "-p", str(port), "-t", topic, "-m", text, *more], check=True)
    pub("m/a/pose", '{"yaw":99}', "-r")
    i = start(f"[input far]\nuse = mqtt\nbroker = 127.0.0.1:{port}\ntopic = m/+/pose\nqos = 1\n[output file]\nuse = file\npath = in.jsonl\n", "in")
    wait_for("input", lambda: "connected" in i.said())
    rows = lambda: [json.loads(l) for l in open(os.path.join(d, "in.jsonl")).read().splitlines()] if os.path.exists(os.path.join(d, "in.jsonl")) else []
    def first():
        pub("m/a/pose", '{"yaw":1,"device":"band"}')
        time.sleep(0.1)
        return rows()
    wait_for("the first pose", first)
    pub("m/b/pose", '{"yaw":50}')
    pub("m/a/pose", "nonsense")
    pub("m/a/pose", '{"pitch":7}')
    wait_for("the last pose", lambda: any(abs(r["yprDegrees"][1] - 7) < 1e-6 for r in rows()))
    yaws = {round(r["yprDegrees"][0]) for r in rows()}
    check(yaws == {0, 1} and all(r["device"] == "band" for r in rows()), f"poses {yaws}")
    said = i.said()
    check("m/b/pose is passed over" in said and "message on m/a/pose: not JSON" in said, said)
    # the broker goes and comes back: both ends find it again
    o = start(SYNTH.format(rate=100, count=100000) + out.replace("cloud]", "cloud]\ntopic = m/a/pose"), "back")
    wait_for("online", lambda: "connected" in o.said())
    ear.end()
    b.kill()
    b.wait()
    wait_for("lost", lambda: "trying again" in o.said() and "trying again" in i.said())
    b = broker(port)
    wait_for("connected again", lambda: o.said().count("connected to") == 2 and i.said().count("connected to") == 2)
    count = len(rows())
    wait_for("poses again", lambda: len(rows()) > count + 20)
    # a broker that hangs: the samples go on, the end does not wait for it
    o.send_signal(signal.SIGINT)
    i.send_signal(signal.SIGINT)
    finish(o)
    finish(i)
    o = start(SYNTH.format(rate=2000, count=3000) + out + "queue = 5\n[output file]\nuse = file\npath = hang.jsonl\n", "hang")
    wait_for("online", lambda: "connected" in o.said())
    b.send_signal(signal.SIGSTOP)
    said = finish(o)
    check(len(open(os.path.join(d, "hang.jsonl")).read().splitlines()) == 3000, "a hanging broker cost samples elsewhere: " + said)
    b.send_signal(signal.SIGCONT)
    b.kill()
    b.wait()
    # nobody there at all
    p = start(SYNTH.format(rate=100, count=30) + out + "[output file]\nuse = file\npath = none.jsonl\n")
    said = finish(p)
    check("Connection refused; trying again" in said and "30 while it was away" in said, "no broker: " + said)
    check(len(open(os.path.join(d, "none.jsonl")).read().splitlines()) == 30, "no broker: the file")
    # TLS with user and password
    def openssl(*args):
        subprocess.run(["openssl", *args], check=True, cwd=d, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for ca in ("ca", "other"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={ca}", "-keyout", ca + ".key", "-out", ca + ".pem")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-keyout", "srv.key", "-out", "srv.csr")
    open(os.path.join(d, "ext"), "w").write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "srv.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext", "-out", "srv.pem")
    subprocess.run(["mosquitto_passwd", "-b", "-c", os.path.join(d, "users"), "pilot", "secret word"], check=True, stderr=subprocess.DEVNULL)
    port = free_port()
    b = broker(port, f"allow_anonymous false\npassword_file {d}/users\ncafile {d}/ca.pem\ncertfile {d}/srv.pem\nkeyfile {d}/srv.key\n")
    open(os.path.join(d, "pass"), "w").write("secret word\nignored\n")
    open(os.path.join(d, "wrong"), "w").write("other\n")
    os.chmod(os.path.join(d, "pass"), 0o600)
    tls = f"[output cloud]\nuse = mqtt\nbroker = 127.0.0.1:{port}\ntls = yes\nca_file = ca.pem\nuser = pilot\n"
    subscriber = subprocess.Popen(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "--cafile", os.path.join(d, "ca.pem"), "-u", "pilot", "-P", "secret word", "-t",
                                   "headpipe/cloud/pose", "-C", "20"], stdout=subprocess.PIPE)
    p = start(SYNTH.format(rate=100, count=100000) + tls + "password_file = pass\n")
    check(len(subscriber.communicate(timeout=60)[0].splitlines()) == 20, "poses over TLS")
    p.send_signal(signal.SIGINT)
    said = finish(p)
    check("can be read by others" not in said and "secret word" not in said, "TLS: " + said)
    p = start(SYNTH.format(rate=100, count=100000) + tls + "password_file = wrong\n")
    wait_for("a wrong password", lambda: "refuses this user and password" in p.said())
    time.sleep(1.5)  # the next attempt: nothing new to tell
    check(p.said().count("trying again") == 1, "a wrong password is told more than once: " + p.said())
    p.send_signal(signal.SIGINT)
    check("can be read by others" in finish(p), "file mode")
    p = start(SYNTH.format(rate=100, count=100000) + tls.replace("ca.pem", "other.pem") + "password = x\n")
    wait_for("a wrong authority", lambda: "trying again" in p.said())
    check("not signed by an authority" in p.said(), "a wrong authority: " + p.said())
    p.send_signal(signal.SIGINT)
    finish(p)
    b.kill()
    b.wait()
    # wrong options
    for text, word in (("topic = a/+/b", "no topic"), ("topic = {nose}", "no topic"), ("status_topic = {device}", "no topic"), ("password = x", "needs a user"),
                       ("user = a\npassword = hidden\npassword_file = pass", "either password"), ("ca_file = ca.pem", "tls = yes"), ("tls = yes\ncert_file = a", "belong together"),
                       ("broker = a:1, b:2", "one broker only")):
        p = start(SYNTH.format(rate=1, count=1) + "[output o]\nuse = mqtt\n" + text + "\n")
        said = finish(p, 2)
        check(word in said and "hidden" not in said, f"{text}: {said}")
    p = start(SYNTH.format(rate=1, count=1) + "[output o]\nuse = mqtt\nuser = a\npassword_file = missing\n")
    check("missing: No such file" in finish(p, 1), "missing password file")
print("mqtt:", "as it should be" if not bad else f"{bad} wrong")
sys.exit(bad != 0)
EOF

# SPDX-License-Identifier: MIT
# Output mqtt and input mqtt against a real mosquitto: topics, QoS, status and last will, a broker that comes late, goes,
# hangs; TLS, user and password.
from lib import *
import json

os.environ["PATH"] += ":/usr/sbin"
for tool in "mosquitto", "mosquitto_sub", "mosquitto_pub", "mosquitto_passwd", "openssl":
    if not shutil.which(tool):
        skip(f"{tool} is not installed")
if "mqtt" in "".join(l for l in command("modules").stdout.splitlines() if "not built" in l):
    skip("headpipe is built without libmosquitto")

def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False
def broker(port, more=""):
    write(f"broker{port}.conf", f"user root\nlog_dest file {d}/broker{port}.log\nlistener {port} 127.0.0.1\n" + (more or "allow_anonymous true\n"))
    p = subprocess.Popen(["mosquitto", "-c", path_of(f"broker{port}.conf")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    running.append(p)
    wait_for(lambda: answers(port), "the broker")
    return p
def synth(rate, count=0):
    return f"[input head]\nuse = synth\nrate = {rate}\ncount = {count}\n"
class Listener:
    """mosquitto_sub with topic, retained flag and payload."""
    def __init__(self, port, topic="#"):
        self.name, self.port, self.marks = f"sub{time.monotonic_ns()}", port, 0
        with open(path_of(self.name), "w") as out:
            self.p = subprocess.Popen(["mosquitto_sub", "-p", str(port), "-t", topic, "-t", "probe", "-q", "2", "-F", "%t|%r|%x"], stdout=out)
        running.append(self.p)
        # it is there when it has heard something retained
        pub("probe", "p", "-r")
        wait_for(lambda: self.heard("probe"), "mosquitto_sub")
    def heard(self, topic):
        rows = (l.split("|") for l in lines_of(self.name))
        return [(int(r[1]), bytes.fromhex(r[2])) for r in rows if len(r) == 3 and r[0] == topic]
    def all_heard(self):
        """What the broker was told until now has arrived here."""
        self.marks += 1
        mark = b"mark %d" % self.marks
        pub("probe", mark.decode(), "-q", "2")
        wait_for(lambda: any(m == mark for _, m in self.heard("probe")), "the mark")
    def end(self):
        self.p.kill()
        self.p.wait()
def pub(topic, text, *more):
    subprocess.run(["mosquitto_pub", "-p", str(port), "-t", topic, "-m", text, *more], check=True)
port = free_port()
b = broker(port)
ear = Listener(port)
status = lambda: [m for _, m in ear.heard("headpipe/cloud/status")]
out = f"[output cloud]\nuse = mqtt\nbroker = 127.0.0.1:{port}\n"
# every sample once the connection stands; status; another encoding and a topic with the device's name
p = start(synth(200) + out + "qos = 1\nqueue = 100\n[output hds]\nuse = mqtt\nencoding = hds\nqos = 1\n"
          f"broker = 127.0.0.1:{port}\ntopic = rooms/{{device}}/{{name}}\nstatus = no\n[output file]\nuse = file\npath = all.jsonl\n")
wait_for(lambda: min(len(ear.heard(t)) for t in ("headpipe/cloud/pose", "rooms/headpipe synth/hds")) > 200, "200 poses", p.said)
said = p.stop()
wait_for(lambda: b"offline" in status(), "offline")
ear.all_heard()  # a last will would have come
check(status() == [b"online", b"offline"], f"status {status()}")
all_lines = read("all.jsonl").splitlines()
poses = [m for _, m in ear.heard("headpipe/cloud/pose")]
check(len(all_lines) == samples_of(said) and len(poses) > 200, f"{len(poses)} poses, {len(all_lines)} lines: {said}")
check(poses == all_lines[-len(poses):], "the poses are not the end of the file")
packets = [m for _, m in ear.heard("rooms/headpipe synth/hds")]
got = command("hds", "decode", "--json", input=packets[-1] if packets else b"", text=False).stdout
check(len(packets) > 200 and b'"v":"%d"' % (len(all_lines) - 1) in got, f"hds: {len(packets)}")
# killed: the broker says so itself
p = start(synth(200) + out)
wait_for(lambda: status()[2:] == [b"online"], "online")
p.kill()
p.wait()
wait_for(lambda: status()[3:] == [b"offline"], "last will")
late = Listener(port, "headpipe/cloud/status")
wait_for(lambda: late.heard("headpipe/cloud/status"), "retained")
check(late.heard("headpipe/cloud/status")[0] == (1, b"offline"), "the status is not retained")
late.end()
# through the broker into another headpipe; what was kept by the broker and what others say does not count
pub("m/a/pose", '{"yaw":99}', "-r")
i = start(f"[input far]\nuse = mqtt\nbroker = 127.0.0.1:{port}\ntopic = m/+/pose\nqos = 1\n[output file]\nuse = file\npath = in.jsonl\n", name="in")
i.hears("connected")
rows = lambda: [json.loads(l) for l in lines_of("in.jsonl")]
def first():
    pub("m/a/pose", '{"yaw":1,"device":"band"}')
    time.sleep(0.1)
    return rows()
wait_for(first, "the first pose")
pub("m/b/pose", '{"yaw":50}')
pub("m/a/pose", "nonsense")
pub("m/a/pose", '{"pitch":7}')
wait_for(lambda: any(abs(r["yprDegrees"][1] - 7) < 1e-6 for r in rows()), "the last pose")
yaws = {round(r["yprDegrees"][0]) for r in rows()}
check(yaws == {0, 1} and all(r["device"] == "band" for r in rows()), f"poses {yaws}")
said = i.said()
check("m/b/pose is passed over" in said and "message on m/a/pose: not JSON" in said, said)
# the broker goes and comes back: both ends find it again
o = start(synth(100) + out.replace("cloud]", "cloud]\ntopic = m/a/pose"))
o.hears("connected")
ear.end()
b.kill()
b.wait()
o.hears("trying again")
i.hears("trying again")
b = broker(port)
o.hears("connected to", times=2)
i.hears("connected to", times=2)
count = len(rows())
wait_for(lambda: len(rows()) > count + 20, "poses again")
# a broker that hangs: the samples go on, the end does not wait for it
o.stop()
i.stop()
o = start(synth(2000) + out + "queue = 5\n[output file]\nuse = file\npath = hang.jsonl\n")
o.hears("connected")
b.send_signal(signal.SIGSTOP)
before = len(lines_of("hang.jsonl"))
wait_for(lambda: len(lines_of("hang.jsonl")) > before + 3000, "3000 more samples", o.said)
said = o.stop()
check(len(lines_of("hang.jsonl")) == samples_of(said), "a hanging broker cost samples elsewhere: " + said)
b.send_signal(signal.SIGCONT)
b.kill()
b.wait()
# nobody there at all
p = start(synth(100, 30) + out + "[output file]\nuse = file\npath = none.jsonl\n")
said = p.ends()
check("Connection refused; trying again" in said and "30 while it was away" in said, "no broker: " + said)
check(len(lines_of("none.jsonl")) == 30, "no broker: the file")
# TLS with user and password
def openssl(*args):
    subprocess.run(["openssl", *args], check=True, cwd=d, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for ca in ("ca", "other"):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={ca}", "-keyout", ca + ".key", "-out", ca + ".pem")
openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-keyout", "srv.key", "-out", "srv.csr")
write("ext", "subjectAltName=DNS:localhost,IP:127.0.0.1\n")
openssl("x509", "-req", "-in", "srv.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext", "-out", "srv.pem")
subprocess.run(["mosquitto_passwd", "-b", "-c", path_of("users"), "pilot", "secret word"], check=True, stderr=subprocess.DEVNULL)
port = free_port()
b = broker(port, f"allow_anonymous false\npassword_file {d}/users\ncafile {d}/ca.pem\ncertfile {d}/srv.pem\nkeyfile {d}/srv.key\n")
write("pass", "secret word\nignored\n")
write("wrong", "other\n")
os.chmod(path_of("pass"), 0o600)
tls = f"[output cloud]\nuse = mqtt\nbroker = 127.0.0.1:{port}\ntls = yes\nca_file = ca.pem\nuser = pilot\n"
subscriber = subprocess.Popen(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "--cafile", path_of("ca.pem"), "-u", "pilot", "-P", "secret word", "-t",
                               "headpipe/cloud/pose", "-C", "20"], stdout=subprocess.PIPE)
p = start(synth(100) + tls + "password_file = pass\n")
check(len(subscriber.communicate(timeout=PATIENCE)[0].splitlines()) == 20, "poses over TLS")
said = p.stop()
check("can be read by others" not in said and "secret word" not in said, "TLS: " + said)
p = start(synth(100) + tls + "password_file = wrong\n")
p.hears("refuses this user and password")
# the next attempts: nothing new to tell
wait_for(lambda: sum("not authorised" in l for l in lines_of(f"broker{port}.log")) >= 3, "refusals", lambda: lines_of(f"broker{port}.log"))
check(p.said().count("trying again") == 1, "a wrong password is told more than once: " + p.said())
check("can be read by others" in p.stop(), "file mode")
p = start(synth(100) + tls.replace("ca.pem", "other.pem") + "password = x\n")
p.hears("trying again")
check("not signed by an authority" in p.said(), "a wrong authority: " + p.said())
p.stop()
b.kill()
b.wait()
# wrong options
for text, word in (("topic = a/+/b", "no topic"), ("topic = {nose}", "no topic"), ("status_topic = {device}", "no topic"), ("password = x", "needs a user"),
                   ("user = a\npassword = hidden\npassword_file = pass", "either password"), ("ca_file = ca.pem", "tls = yes"), ("tls = yes\ncert_file = a", "belong together"),
                   ("broker = a:1, b:2", "one broker only")):
    p = start(synth(1, 1) + "[output o]\nuse = mqtt\n" + text + "\n")
    said = p.ends(2)
    check(word in said and "hidden" not in said, f"{text}: {said}")
p = start(synth(1, 1) + "[output o]\nuse = mqtt\nuser = a\npassword_file = missing\n")
check("missing: No such file" in p.ends(1), "missing password file")
end("mqtt")

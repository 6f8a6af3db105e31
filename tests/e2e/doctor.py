# SPDX-License-Identifier: MIT
# headpipe doctor listens to every kind of input that the ini names, each by itself, and sends nothing while it does.
from lib import *
import json

OUT = "[output game]\nuse = opentrack_udp\nto = 127.0.0.1:%d\n[output tape]\nuse = csv\npath = tape.csv\n"
ear = Receiver()


def ask(text, *more, seconds=0.7):
    """seconds: long where something must arrive from another program, on a busy machine too."""
    ini = write(f"t{len(running)}.ini", text + OUT % ear.port)
    p = subprocess.Popen([headpipe, "doctor", "--for", str(seconds), *more, ini], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=d)
    running.append(p)
    return p


def answer(p, code):
    out, err = p.communicate(timeout=PATIENCE)
    check(p.returncode == code, f"exit {p.returncode} instead of {code}: {out}{err}")
    check(err == "", err)
    return out


def doctor(text, code, *more, seconds=0.7):
    return answer(ask(text, *more, seconds=seconds), code)


def found(said, *starts):
    rows = [" ".join(l.split()) for l in said.splitlines()]
    for s in starts:
        check(sum(r.startswith(s) for r in rows) == 1, f"once {s!r}: {said}")


def program(lines):
    return f"[input head]\nuse = exec\ncommand = {lines}\n"


still = program("while echo '{\"yaw\":3}'; do sleep 0.01; done")
moves = ask(program("""i=0; while echo '{"yaw":'$i',"device":"Arduino"}'; do i=$((i + 1)); sleep 0.01; done"""), seconds=4)
rests = [ask(still + more, seconds=4) for more in ("", "constant_after = 100ms\n")]
ends = ask(program("exit 3"), seconds=4)
raves = ask(program("while echo yaw 3; do sleep 0.01; done"), seconds=4)
said = answer(moves, 0)
found(said, "ok source head: Arduino", "ok values head: the pose moves", "ok device no [input hid] in this file", "ok output game: a program listens")
check("samples/s, longest gap" in said and said.endswith("Nothing is wrong.\n"), said)

# sends, but does not move; whatever constant_after says of a run
for p in rests:
    said = answer(p, 0)
    found(said, "note values head: it sends, but the pose was constant", "-> move your head")
    check("to the last bit" not in said, said)

# ends; sends what nobody understands; sends nothing
said = answer(ends, 1)
found(said, "wrong samples head: nothing has arrived")
check("note   input       head: the command has ended with status 3; starting it again" in said, said)
said = answer(raves, 1)
found(said, "note input head: line 1 of the program: ", "wrong samples head: nothing has arrived")
check(said.count("line dropped") == 1, said)
said = doctor(program("exec sleep 1000.25"), 1)
found(said, "wrong samples head: nothing has arrived in 0.7 s", "-> run the command by hand: it must print one JSON object per line")
check("Nothing is wrong" not in said and "source" not in said, said)
check(not any(b"1000.25" in open(f"/proc/{p}/cmdline", "rb").read() for p in os.listdir("/proc") if p.isdigit() and os.path.exists(f"/proc/{p}/cmdline")),
      "its program outlives the doctor")

# made-up motion; recordings of three kinds, whose end is no fault
found(doctor(SYNTH, 0), "ok source head: headpipe synth", "ok samples head: 100 samples/s, longest gap 10 ms", "ok values head: the pose moves")
found(doctor(SYNTH + "motion = still\nnoise = 0\n", 0), "ok samples head: 100 samples/s", "note values head: it sends, but")
hid("short.hid", 3, 100, odd=False)
run("[input head]\nuse = replay\npath = short.hid\nspeed = 0\n[output t]\nuse = session\npath = short.mcap\n")
for name in "short.hid", "short.mcap":
    for speed in 0, 1:
        said = doctor(f"[input head]\nuse = replay\npath = {name}\nspeed = {speed}\n", 0, seconds=0.7 if speed else PATIENCE / 2)
        found(said, "ok source head: Synthetic Head Tracker", "ok samples head: 100 samples/s, longest gap 10 ms", "ok values head: the pose moves")
        check(("it has ended" in said) == (speed == 0), said)
write("empty.hid", "\n".join(l for l in open("conf/head-motion.hid").read().splitlines() if not l.startswith("E:")) + "\n")
said = doctor("[input head]\nuse = replay\npath = empty.hid\n", 1)
check("wrong" in said and "nothing has arrived" not in said, said)
said = doctor("[input head]\nuse = replay\npath = none.hid\n", 1)
found(said, "wrong input head: ")
check("none.hid: No such file" in said and ".ini:" in said, said)

# each by itself: one that is broken says nothing of the others; an output below two of them, and one that has our name
said = doctor("[input a]\nuse = replay\npath = none.hid\n[input b]\nuse = synth\n[output ear]\nuse = null\n[input c]\nuse = exec\ncommand = sleep 9\n", 1)
found(said, "wrong input a: ", "ok values b: the pose moves", "wrong samples c: nothing has arrived")
rows = json.loads(doctor("[input b]\nuse = synth\n[filter f]\nuse = orientation\n", 0, "--json"))
check([r["state"] for r in rows if r["link"] in ("source", "samples", "values")] == ["ok"] * 3, rows)

# nothing was sent or written by all that
check(not ear.take(), "datagrams came")
check(not os.path.exists(path_of("tape.csv")), "a file was written")

# MQTT: nobody there; a broker and nobody who speaks; one who does. A headpipe that runs with the same ini stays connected.
os.environ["PATH"] += ":/usr/sbin"
if "mqtt" in "".join(l for l in command("modules").stdout.splitlines() if "not built" in l) or not all(map(shutil.which, ("mosquitto", "mosquitto_pub"))):
    end("doctor, without mqtt")
port = free_port()
cloud = f"[input head]\nuse = mqtt\nbroker = 127.0.0.1:{port}\nclient_id = mine\ntopic = pose\n"
said = doctor(cloud, 1, seconds=3)
found(said, f"note input head: 127.0.0.1 port {port}: Connection refused", "wrong samples head: nothing has arrived")
check("mosquitto_sub" not in said, said)
write("broker.conf", f"user root\nlog_dest file {d}/broker.log\nlistener {port} 127.0.0.1\nallow_anonymous true\n")
running.append(subprocess.Popen(["mosquitto", "-c", path_of("broker.conf")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


def pub(text):
    return subprocess.run(["mosquitto_pub", "-p", str(port), "-t", "pose", "-m", text], stderr=subprocess.DEVNULL).returncode == 0


wait_for(lambda: pub('{"yaw":1}'), "the broker")
p = Live(cloud + "[output file]\nuse = file\npath = got.jsonl\n")
wait_for(lambda: pub('{"yaw":1}') and lines_of("got.jsonl"), "a pose through the broker", p.said)
found(doctor(cloud, 1), "wrong samples head: nothing has arrived", "-> watch the topic")
stop = threading.Event()
# as fast as it goes, until the doctor has had its time
talk = threading.Thread(target=lambda: [pub('{"yaw":%d}' % i) for i in range(10**6) if not stop.is_set() or exit()], daemon=True)
talk.start()
found(doctor(cloud, 0, seconds=4), "ok source head: pose", "ok values head: the pose moves")
stop.set()
said = p.stop()
check("client_id" not in said and "again" not in said, said)
end("doctor")

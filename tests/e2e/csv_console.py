# SPDX-License-Identifier: MIT
# csv and console through the whole program: two stages of one run beside the datagrams that were sent, columns and
# header, a full disk, a second run, a foreign locale, and readers of the console that leave or stop.
from lib import *
import csv, datetime

def rows(name):
    with open(path_of(name), newline="") as f:
        return list(csv.DictReader(f))
def run_it(text, **more):
    p = run(text, **more)
    return p.returncode, p.stderr

udp = Receiver()
SYNTH = "[input head]\nuse = synth\nframe = device\nrate = 500\ncount = 200\nspeed = {}\n"
env = dict(os.environ, LC_ALL="de_DE.UTF-8")
before = datetime.datetime.now(datetime.timezone.utc)
mono_before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
status, err = run_it(SYNTH.format(1) + "[output raw]\nuse = csv\npath = raw.csv\nstage = raw\n"
                  "[filter pose]\nuse = orientation\n"
                  "[output mapped]\nuse = csv\npath = mapped.csv\nstage = mapped\ncolumns = times, id, angles, quaternion\n"
                  f"[output game]\nuse = opentrack_udp\nto = 127.0.0.1:{udp.port}\n", env=env)
mono_after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
raw, mapped = rows("raw.csv"), rows("mapped.csv")
check(status == 0 and len(raw) == len(mapped) == 200, f"{status} {len(raw)} {len(mapped)} {err}")
check(",".join(mapped[0]) == "time_ns,arrival_ns,wall_utc,source,seq,flags,jump,mapped_yaw_deg,mapped_pitch_deg,"
      "mapped_roll_deg,mapped_qw,mapped_qx,mapped_qy,mapped_qz", ",".join(mapped[0]))
for i, (r, m) in enumerate(zip(raw, mapped)):
    packet = udp.recv()
    text = [float(m[f"mapped_{a}_deg"]) for a in ("yaw", "pitch", "roll")]
    check(packet[24:] == struct.pack("<3d", *text), f"row {i}: {text} is not what was sent, bit for bit")
    check(int(r["time_ns"]) == i * 2000000 and int(m["seq"]) == i, f"row {i}: time or number")
    check(mono_before <= int(m["arrival_ns"]) <= mono_after, f"row {i}: arrival")
    check(i == 0 or int(mapped[i - 1]["arrival_ns"]) < int(m["arrival_ns"]), f"row {i}: times go up")
    wall = datetime.datetime.fromisoformat(m["wall_utc"][:26] + "+00:00")
    check(abs((wall - before).total_seconds()) < 60, f"row {i}: {m['wall_utc']}")
    w, x, y, z = (float(r[f"raw_q{a}"]) for a in "wxyz")
    check(abs(w*w + x*x + y*y + z*z - 1) < 1e-12, f"row {i}: quaternion")

# the same run again gives the same numbers; append adds, refuse refuses
COLUMNS = "columns = time, rotvec, gyro\n"
one = SYNTH.format(0) + "[output a]\nuse = csv\npath = a.csv\n" + COLUMNS
run_it(one)
first = read("a.csv").decode()
run_it(one)
check(read("a.csv").decode() == first and first.count("\n") == 201, "again: the same file")
status, err = run_it(one + "existing = append\n")
check(status == 0 and rows("a.csv") == rows("a.csv")[:200] * 2, f"append: {status} {err}")
status, err = run_it(one.replace("gyro", "angles") + "existing = append\n")
check(status == 1 and "has other columns" in err, f"append, other columns: {status} {err}")
status, err = run_it(one + "existing = refuse\n")
check(status == 1 and "File exists" in err, f"refuse: {status} {err}")
check(read("a.csv").decode().count("\n") == 401, "nothing was lost by refusals")

# full disk: said once, the other output gets everything, the run says that something failed
status, err = run_it(SYNTH.format(1) + "[output a]\nuse = csv\npath = /dev/full\n[output b]\nuse = csv\npath = b.csv\n")
check(status == 1 and err.count("No space left on device") == 1 and len(rows("b.csv")) == 200, f"full: {status} {err}")

# console: a reader that takes two lines and leaves ends the run, quietly
forever = "[input head]\nuse = synth\nrate = 200\n[output screen]\nuse = console\n"
p = start(forever, stdout=subprocess.PIPE, text=True, env=env)
lines = [p.stdout.readline(), p.stdout.readline()]
p.stdout.close()
err = p.ends()
check("rror" not in err and all(l.startswith("yaw ") and "," not in l for l in lines),
      f"console: {p.returncode} {lines} {err}")
# a reader that stops reading: the pipe is full from the beginning, and the other output is not held up
r, w = os.pipe()
os.set_blocking(w, False)
try:
    while True:
        os.write(w, b"x" * 4096)
except BlockingIOError:
    pass
os.set_blocking(w, True)
status, err = run_it(SYNTH.format(1) + "[output screen]\nuse = console\n[output b]\nuse = csv\npath = b.csv\n", stdout=w)
check(status == 0 and len(rows("b.csv")) == 200, f"console, full pipe: {status} {err}")
os.close(r)
os.close(w)
end("csv and console")

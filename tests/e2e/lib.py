# SPDX-License-Identifier: MIT
"""lib.py - what the end-to-end tests share: the program in a folder of its own, receivers, ports, waiting for states.

No result may depend on how busy the machine is: tests wait for a state (wait_for, Live.hears, Receiver.wait) and compare
what was counted at the end. PATIENCE is only there so that nothing hangs for ever."""
import atexit, os, shutil, signal, socket, struct, subprocess, sys, tempfile, threading, time

PATIENCE = 120  # seconds
build = os.path.abspath(os.environ.get("B") or "build")
headpipe = HEADPIPE = os.path.join(build, "headpipe")
golden = os.path.abspath("tests/golden")
reference = os.environ.get("HEADPIPE_REFERENCE") or os.path.abspath("../shared/reference")
sanitize = os.environ.get("SANITIZE", "")
CC = os.environ.get("CC") or "cc"
folder = tempfile.TemporaryDirectory()
d = folder.name
home = os.environ.get("HOME", d)
os.environ["HOME"] = d
os.environ["HEADPIPE_MODULES"] = ""
bad = done = 0
running = []

SYNTH = "[input head]\nuse=synth\n"
REPLAY = f"[input head]\nuse=replay\npath={golden}/pipeline.hid\n"


# ---- what is right, and the end ----

def check(ok, what=""):
    global bad, done
    done += 1
    if not ok:
        bad += 1
        print(f"wrong (line {sys._getframe(1).f_lineno}):", what, flush=True)
    return ok


def end(title):
    print(f"{title}: {done} checks as they should be" if not bad else f"{title}: {bad} of {done} wrong", flush=True)
    sys.exit(bad != 0)


def skip(why):
    print("skip:", why)
    sys.exit(77)


@atexit.register
def leave():
    for p in running:
        if p.poll() is None:
            p.kill()
            p.wait()
    folder.cleanup()


def wait_for(test, what, show=None):
    """Asks until it is true; its value. Ends the test with what was waited for, and with what show() says."""
    limit = time.monotonic() + PATIENCE
    while not (value := test()):
        if time.monotonic() > limit:
            print(f"waited {PATIENCE} s in vain: {what}", show() if show else "", flush=True)
            sys.exit(1)
        time.sleep(0.01)
    return value


class Checks:
    """For tests that count apart."""

    def __init__(self, name):
        self.name = name

    def check(self, good, what):
        return check(good, what)

    def end(self):
        end(self.name)


def scratch():
    """One more folder that goes with the test."""
    return tempfile.mkdtemp(dir=d)


# ---- files in the scratch folder ----

def path_of(name):
    return os.path.join(d, name)


def write(name, text):
    with open(path_of(name), "w" if isinstance(text, str) else "wb") as f:
        f.write(text)
    return path_of(name)


def read(name):
    with open(path_of(name), "rb") as f:
        return f.read()


def lines_of(name):
    """Whole lines of a file that may still grow; none when it is not there yet."""
    try:
        return read(name).decode(errors="replace").split("\n")[:-1]
    except FileNotFoundError:
        return []


def names(start):
    return sorted(n for n in os.listdir(d) if n.startswith(start))


# ---- the program ----

def run(text, *more, **how):
    """Runs to the end; text is the ini."""
    return command("run", write("t.ini", text), *more, **how)


def command(*words, **how):
    how = {"capture_output": "stdout" not in how, "text": True, "timeout": PATIENCE, "cwd": d, **how}
    if "stdout" in how:
        how.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([headpipe, *words], **how)


class Live(subprocess.Popen):
    """A run that goes on. Everything that it says is in said(). only: the file is among `more`."""

    def __init__(self, ini, *more, name=None, only=False, **how):
        self.name = name or f"live{len(running)}"
        self.ini = write(self.name + ".ini", ini)
        self.log = path_of(self.name + ".log")
        out = open(self.log, "w")
        super().__init__([headpipe, "run", *([] if only else [self.ini]), *more], **{"stdout": out, "stderr": out, "cwd": d, **how})
        out.close()
        running.append(self)

    def said(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def hears(self, *words, times=1):
        """Waits until the log has these words, all of them, so many times."""
        for w in words:
            wait_for(lambda: self.said().count(w) >= times or self.poll() is not None, f"{w!r}, {times} times", self.said)
            if self.said().count(w) < times:
                check(False, f"it ended without {w!r}: {self.said()}")

    def catches(self, number=signal.SIGINT, masks=("SigCgt",)):
        """Waits until the program has its signal handlers: only then it is surely running."""
        def caught():
            text = open(f"/proc/{self.pid}/status").read()
            found = [int(l.split()[1], 16) for l in text.splitlines() if l.startswith(masks)]
            return any(m >> (number - 1) & 1 for m in found) and os.readlink(f"/proc/{self.pid}/exe") == os.path.realpath(headpipe)
        wait_for(lambda: self.poll() is not None or caught(), f"handler of signal {number}", self.said)
        return self

    def ends(self, code=0):
        """By itself, with this status; what it has said."""
        try:
            got = self.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            self.wait()
            got = "no end"
        said = self.said()
        check(got == code, f"{self.name}: exit {got} instead of {code}: {said}")
        return said

    def stop(self, code=0, number=signal.SIGINT):
        if self.poll() is None:
            self.catches(number)
            self.send_signal(number)
        return self.ends(code)


def start(ini, *more, **how):
    return Live(ini, *more, **how)


def samples_of(said, section="input head"):
    """How many samples a section has had, from the words at the end."""
    for line in said.splitlines():
        if line.startswith(f"headpipe: {section}: ") and "sample" in line:
            return int(line.split(": ")[2].split()[0])
    return None


def threads(p):
    """Its threads; the first one alone under ThreadSanitizer, which adds one that wakes ten times a second."""
    return [str(p.pid)] if "thread" in os.environ.get("SANITIZE", "") else os.listdir(f"/proc/{p.pid}/task")


def wake_ups(p):
    """How often its threads have given up the processor to wait."""
    n = 0
    for t in threads(p):
        for line in open(f"/proc/{p.pid}/task/{t}/status"):
            if line.startswith("voluntary_ctxt_switches"):
                n += int(line.split()[1])
    return n


def asleep(p):
    """Every thread waits in the kernel, none for a processor, and has for a moment."""
    before = wake_ups(p)
    time.sleep(0.3)
    states = [open(f"/proc/{p.pid}/task/{t}/stat").read().rsplit(")", 1)[1].split()[0] for t in threads(p)]
    return all(s == "S" for s in states) and wake_ups(p) == before


def children(p):
    """The names of the programs that it has started."""
    out = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            name, _, rest = open(f"/proc/{pid}/stat").read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if int(rest.split()[1]) == p.pid:
            out.append(name)
    return out


# ---- receivers and ports ----

class Receiver:
    """A UDP socket that is read all the time, so that nothing is lost while the test looks elsewhere."""

    def __init__(self, family=socket.AF_INET, address="127.0.0.1", port=0):
        self.sock = socket.socket(family, socket.SOCK_DGRAM)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for option in (33, socket.SO_RCVBUF):  # SO_RCVBUFFORCE where that is allowed
            try:
                self.sock.setsockopt(socket.SOL_SOCKET, option, 8 << 20)
                break
            except OSError:
                pass
        self.sock.bind((address, port))
        self.address = self.sock.getsockname()
        self.port = self.address[1]
        self.news = threading.Condition()
        self.got, self.mark = [], 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            data = self.sock.recv(65536)
            with self.news:
                if data.startswith(b"mark of the test"):
                    self.mark = int(data[16:])
                else:
                    self.got.append(data)
                self.news.notify_all()

    def recv(self):
        """The next one."""
        with self.news:
            if not self.news.wait_for(lambda: self.got, PATIENCE):
                raise SystemExit("no datagram came")
            return self.got.pop(0)

    def wait(self, n, p=None):
        """Until at least n are there (or the program p has ended)."""
        return wait_for(lambda: len(self.got) >= n or (p and p.poll() is not None), f"{n} datagrams", lambda: f"there are {len(self.got)}")

    def take(self):
        """Everything that was sent to it until now."""
        number = self.mark + 1
        with socket.socket(self.sock.family, socket.SOCK_DGRAM) as s, self.news:
            while self.mark != number:
                s.sendto(b"mark of the test%d" % number, self.address)
                self.news.wait_for(lambda: self.mark == number, 5)
            out, self.got = self.got, []
        return out


reserved = []


def free_port(kind=socket.SOCK_STREAM):
    """A port that nobody listens on, and that stays ours: nobody else is given it, a listener that reuses may still take it."""
    s = socket.socket(socket.AF_INET, kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", 0))
    if kind == socket.SOCK_DGRAM:
        s.connect(("127.0.0.1", 1))  # so it takes from there alone; everybody else meets a closed port
    reserved.append(s)
    return s.getsockname()[1]


def outputs(ports):
    """OpenTrack and JSON, to two ports."""
    return f"[output game]\nuse = opentrack_udp\nto = 127.0.0.1:{ports[0]}\n[output stream]\nuse = json_udp\nto = 127.0.0.1:{ports[1]}\n"


class Pair:
    """Receivers of both."""

    def __init__(self):
        self.both = [Receiver(), Receiver()]
        self.ports = [r.port for r in self.both]

    def take(self):
        return [r.take() for r in self.both]


def same(what, want, got):
    """The same datagrams on both ports."""
    for w, g, port in zip(want, got, ("opentrack", "json")):
        at = next((i for i, (a, b) in enumerate(zip(w, g)) if a != b), min(len(w), len(g)))
        check(w == g, f"{what}: {port} differs at datagram {at} ({len(w)} and {len(g)})\n{w[at:at+1]}\n{g[at:at+1]}")


# ---- recordings ----

ORIENTATION = "[filter pose]\nuse = orientation\n"


def replayed(text, code=0, more=()):
    """Runs to the end with this status; what it said."""
    p = run(text, *more)
    check(code is None or p.returncode == code, f"exit {p.returncode} instead of {code}: {p.stderr}")
    return p.stderr


def hid(name, seconds, hz, odd=True, more=""):
    """conf/head-motion.hid, shortened, at another rate; odd: some reports are too short to give a sample."""
    lines = open("conf/head-motion.hid").read().splitlines()
    head = [l for l in lines if not l.startswith("E:")]
    events = [l for l in lines if l.startswith("E:")]
    with open(path_of(name), "w") as f:
        f.write("\n".join(head) + "\n")
        for i in range(int(seconds * hz)):
            data = events[i % len(events)].split(None, 2)[2]
            if odd and i % 13 == 5:
                data = "1 7f"
            f.write("E: %.6f %s\n" % (i / hz, data))
        f.write(more)

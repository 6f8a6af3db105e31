# SPDX-License-Identifier: MIT
"""What the end-to-end tests share: the program in a folder of its own, receivers on free ports, a count of what is wrong."""
import os, select, signal, socket, subprocess, sys, tempfile, time

headpipe = os.path.abspath(os.path.join(os.environ.get("B", "build"), "headpipe"))
golden = os.path.abspath("tests/golden")
folder = tempfile.TemporaryDirectory()
d = folder.name
os.environ["HOME"] = d
os.environ["HEADPIPE_MODULES"] = ""
bad = done = 0

SYNTH = "[input head]\nuse=synth\n"
REPLAY = f"[input head]\nuse=replay\npath={golden}/pipeline.hid\n"


def check(ok, what):
    global bad, done
    done += 1
    if not ok:
        bad += 1
        print("wrong:", what, flush=True)
    return ok


def end(title):
    print(f"{title}: {done} checks as they should be" if not bad else f"{title}: {bad} of {done} wrong")
    folder.cleanup()
    sys.exit(bad != 0)


def write(name, text):
    path = os.path.join(d, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def read(name):
    with open(os.path.join(d, name), "rb") as f:
        return f.read()


def run(text, *more, **how):
    """Runs to the end; text is the ini."""
    return subprocess.run([headpipe, "run", write("t.ini", text), *more], capture_output=True, text=True, timeout=60, cwd=d, **how)


def start(text, *more, **how):
    return subprocess.Popen([headpipe, "run", write("t.ini", text), *more], stderr=subprocess.PIPE, text=True, cwd=d, **how)


def receiver(family=socket.AF_INET, address="127.0.0.1", port=0):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    s.bind((address, port))
    s.settimeout(20)
    return s


def port_of(s):
    return s.getsockname()[1]


def waiting(s):
    """Everything that has arrived."""
    out = []
    while select.select([s], [], [], 0)[0]:
        out.append(s.recv(65536))
    return out


def unused_port():
    with receiver() as s:
        return port_of(s)


def until(what, seconds=20):
    """Waits for a condition; a slow machine may take its time."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if what():
            return True
        time.sleep(0.01)
    return False

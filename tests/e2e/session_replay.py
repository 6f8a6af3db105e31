# SPDX-License-Identifier: MIT
# A live run recorded and replayed: the datagrams are the same bytes at any speed, recenters, changed options and
# reports without a sample included. Used by session_*.sh.
import os, signal, socket, subprocess, sys, tempfile, threading, time

headpipe = os.path.abspath(os.environ.get("B", "build") + "/headpipe")


class Receivers:
    """Two sockets, read all the time: a replay at full speed waits for its receivers."""

    def __init__(self):
        self.socks, self.got = [], [[], []]
        for i in range(2):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
            s.bind(("127.0.0.1", 0))
            self.socks.append(s)
            threading.Thread(target=self.read, args=(i,), daemon=True).start()
        self.ports = [s.getsockname()[1] for s in self.socks]

    def read(self, i):
        while True:
            data = self.socks[i].recv(65536)
            self.got[i].append(data)

    def take(self):
        n = -1
        while n != len(self.got[0]) + len(self.got[1]):
            n = len(self.got[0]) + len(self.got[1])
            time.sleep(0.2)
        out, self.got = self.got, [[], []]
        return out


def hid(path, seconds, hz, odd=True):
    """conf/head-motion.hid, shortened, at another rate; some reports are too short to give a sample."""
    lines = open("conf/head-motion.hid").read().splitlines()
    head = [l for l in lines if not l.startswith("E:")]
    events = [l for l in lines if l.startswith("E:")]
    with open(path, "w") as f:
        f.write("\n".join(head) + "\n")
        for i in range(int(seconds * hz)):
            data = events[i % len(events)].split(None, 2)[2]
            if odd and i % 13 == 5:
                data = "1 7f"
            f.write("E: %.6f %s\n" % (i / hz, data))


def outputs(ports):
    return f"""
[output game]
use = opentrack_udp
to = 127.0.0.1:{ports[0]}
[output stream]
use = json_udp
to = 127.0.0.1:{ports[1]}
"""


def run(ini, folder, name="run.ini", during=None, code=0, extra=()):
    path = os.path.join(folder, name)
    open(path, "w").write(ini)
    p = subprocess.Popen([headpipe, "run", path, *extra], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         cwd=folder)
    if during:
        during(p, path)
    out, err = p.communicate(timeout=120)
    if code is not None and p.returncode != code:
        sys.exit(f"exit {p.returncode} instead of {code}:\n{err}")
    return err


def same(what, want, got):
    for w, g, port in zip(want, got, ("opentrack", "json")):
        if w == g:
            continue
        at = next((i for i, (a, b) in enumerate(zip(w, g)) if a != b), min(len(w), len(g)))
        sys.exit(f"{what}: {port} differs at datagram {at} ({len(w)} live, {len(g)} replayed)\n{w[at:at+1]}\n{g[at:at+1]}")

# SPDX-License-Identifier: MIT
"""lib.py - what the whole-process tests in Python share: the program, a folder, waiting, counting what is wrong."""
import os, shutil, socket, sys, tempfile, time, atexit

HEADPIPE = os.path.abspath(os.path.join(os.environ.get("B", "build"), "headpipe"))
GUARD = 120  # s; only for what never happens: a busy machine is no fault


def skip(why):
    """Leaves with the status that tests/run.sh takes for `skipped`."""
    print("skip:", why)
    sys.exit(77)


def scratch():
    """A folder that goes with the test."""
    d = tempfile.mkdtemp(prefix="headpipe-test-")
    atexit.register(shutil.rmtree, d, True)
    return d


def free_port():
    """A TCP port of the loopback that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def wait_for(test, what, show=None):
    """Asks until it is true. Ends the test with what was waited for, and with what show() says."""
    end = time.monotonic() + GUARD
    while not (got := test()):
        if time.monotonic() > end:
            print(f"waited {GUARD} s in vain: {what}", f"\n{show()}" if show else "")
            sys.exit(1)
        time.sleep(0.02)
    return got


class Checks:
    """Counts what was looked at and what was wrong."""

    def __init__(self, name):
        self.name, self.done, self.wrong = name, 0, 0

    def check(self, good, what):
        self.done += 1
        if not good:
            self.wrong += 1
            print("wrong:", what)
        return bool(good)

    def end(self):
        print(f"{self.name}: {self.wrong} of {self.done} checks wrong" if self.wrong else f"{self.name}: {self.done} checks as they should be")
        sys.exit(self.wrong != 0)

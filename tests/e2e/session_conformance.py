#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""session_conformance.py - every file of MCAP's public conformance suite is read: info says what is in it, verify says that
it is good, recover copies all of it, and its copy is good too. The test makes the files itself."""
from npm import *
import json

node = install()
files = scratch()
p = subprocess.run(["node", node + "/conformance.mjs", files], capture_output=True, text=True)
check(p.returncode == 0, p.stderr[-2000:])
suite = [json.loads(l) for l in p.stdout.splitlines()]
check(len(suite) == 416, len(suite))
right = good = copied = crashes = 0


def tool(*words):
    global crashes
    q = command(*words, cwd=files)
    if q.returncode not in (0, 1):
        crashes += 1
    return q


def holds(path, want):
    """Whether info says so much."""
    q = tool("info", path, "--json")
    if q.returncode:
        print(path, q.stderr)
        return False
    i = json.loads(q.stdout)
    times = {10: (0, 9), 1: (2, 2), 0: (0, 0)}[want["messages"]]
    got = (i["messages"], [(c["topic"], c["messages"]) for c in i["channels"]], (i["start_ns"], i["end_ns"]), i["metadata"].get("myMetadata", {}).get("foo"),
           i["attachments"])
    need = (want["messages"], [("example", want["messages"])] * want["channels"], times, "bar" if want["metadata"] else None, want["attachments"])
    if got != need:
        print(path, got, need)
    return got == need


for want in suite:
    path = want["path"]
    right += holds(path, want)
    q = tool("verify", path)
    good += q.returncode == 0 and ": good, " in q.stdout
    if q.returncode:
        print(path, q.stdout, q.stderr)
    q = tool("recover", path, "-o", "copy.mcap")
    copied += q.returncode == 0 and holds("copy.mcap", want) and tool("verify", "copy.mcap").returncode == 0
    if os.path.exists(files + "/copy.mcap"):
        os.unlink(files + "/copy.mcap")
check(right == len(suite), f"info is right for {right} of {len(suite)}")
check(good == len(suite), f"verify says good for {good} of {len(suite)}")
check(copied == len(suite), f"recover copies {copied} of {len(suite)}")
check(crashes == 0, f"{crashes} crashes")
print(f"count: files of the conformance suite: info right {right}/{len(suite)}, verify good {good}/{len(suite)}, copied {copied}/{len(suite)}, {crashes} crashes")
end("MCAP's conformance suite")

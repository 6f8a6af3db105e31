#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""recorder_today.py - the text of hid-recorder as it is written today: in colours, with B: lines of BPF programs, and with
lines that nobody knows, which are skipped with one note. It gives the same reports as the plain text."""
from lib import *

lines = open("conf/head-motion.hid").read().splitlines()[:400]
head = [l for l in lines if not l.startswith("E:")]
events = [l for l in lines if l.startswith("E:")]
write("plain.hid", "\n".join(head + events) + "\n")


def colours(line):
    """As the tool does it: the letter in one colour, the bytes that changed in another."""
    words = line.split(" ")
    return "\x1b[1;32m" + words[0] + "\x1b[0m " + " ".join(w if i % 3 else f"\x1b[38;5;{i + 17}m{w}\x1b[m" for i, w in enumerate(words[1:]))


def reports(name):
    p = command("import", name, "-o", name + ".mcap")
    check(p.returncode == 0, f"{name}: {p.stderr}")
    return command("export", name + ".mcap", "--hid-recorder").stdout, p.stderr


want, said = reports("plain.hid")
check(want.count("\nE:") == len(events) and not said, said)
today = ["\x1b]0;hid-recorder\x07\x1b[2m# written in colours\x1b[0m"] + [colours(l) if l[:1] in "RNID" and l[1:2] == ":" and l[0] != "N" else l for l in head]
for i, l in enumerate(events):
    today.append(colours(l))
    if i % 5 == 2:
        today.append(colours("B" + l[1:]))
write("today.hid", "\r\n".join(today) + "\r\n")
got, said = reports("today.hid")
check(got == want, "colours and B: lines change nothing")
check(not said, f"nothing is worth a note: {said}")
strange = []
for i, l in enumerate(today):
    strange.append(l)
    if i > len(head) and i % 7 == 3:
        strange += ["X: 1 2 3", "Z", "whatever this is"]
write("strange.hid", "\n".join(strange) + "\n")
got, said = reports("strange.hid")
check(got == want and said.count("skipped") == 1 and "strange.hid:" in said, said)
end("hid-recorder's text as it is written today")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""planted.py - the test of rooms.py: every kind of fault is planted in a copy of the tree and must be named."""
import os, shlex, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDERS = ("host", "inputs", "filters", "outputs", "bench", "tests/unit", "docs")


class Tree:
    """A copy of the sources, without objects unless they are planted."""

    def __init__(self, folder):
        self.folder = folder
        for f in FOLDERS:
            shutil.copytree(os.path.join(ROOT, f), os.path.join(folder, f))
        self.rule = open(os.path.join(HERE, "rooms.txt")).read()
        # circles of the real tree's objects are not those of this one
        self.rule = "\n".join(l for l in self.rule.splitlines() if not l.startswith("known circle")) + "\n"

    def read(self, file):
        return open(os.path.join(self.folder, file)).read()

    def write(self, file, text):
        path = os.path.join(self.folder, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").write(text)

    def after_comment(self, file, line):
        text = self.read(file)
        at = text.index("*/\n") + 3
        self.write(file, text[:at] + line + "\n" + text[at:])

    def source(self, file, code=""):
        self.write(file, f"/* SPDX-License-Identifier: MIT\n * {os.path.basename(file)} - planted. */\n{code}")

    def object(self, file, code):
        self.source(file, code)
        out = os.path.join(self.folder, "build", file[:-2] + ".o")
        os.makedirs(os.path.dirname(out), exist_ok=True)
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-c", os.path.join(self.folder, file), "-o", out],
                       check=True)

    def check(self):
        rule = os.path.join(self.folder, "rooms.txt")
        open(rule, "w").write(self.rule)
        p = subprocess.run([sys.executable, os.path.join(HERE, "rooms.py"), "--rule", rule, "--objects",
                            os.path.join(self.folder, "build"), self.folder], capture_output=True, text=True)
        return p.returncode, p.stdout + p.stderr


def include_upwards(t):
    t.after_comment("filters/axes.c", '#include "run/pipeline.h"')
    return "filters/axes.c:", ": filters -> host/run: includes host/run/pipeline.h"


def another_header_than_the_one(t):
    t.after_comment("inputs/replay/replay.c", '#include "run/services.h"')
    return "inputs/replay/replay.c:", ": inputs/replay -> host/run: includes host/run/services.h"


def symbol_upwards(t):
    t.object("host/base/low.c", "int hp_high(void);\nint hp_low(void)\n{\n\treturn hp_high();\n}\n")
    t.object("host/run/high.c", "int hp_high(void)\n{\n\treturn 1;\n}\n")
    return "host/base/low.c: host/base -> host/run: uses hp_high of host/run/high.c\n",


def circle_of_files(t):
    t.object("host/run/one.c", "int hp_two(void);\nint hp_one(void)\n{\n\treturn hp_two();\n}\n")
    t.object("host/run/two.c", "int hp_one(void);\nint hp_two(void)\n{\n\treturn hp_one();\n}\n")
    return "a circle of files: host/run/one.c host/run/two.c\n",


def circle_of_headers(t):
    t.source("host/base/one.h", '#include "two.h"\n')
    t.source("host/base/two.h", '#include "one.h"\n')
    return "a circle of files: host/base/one.h host/base/two.h\n",


def circle_of_rooms(t):
    t.rule = t.rule.replace("room host/base:", "room host/base: host/config")
    t.after_comment("host/base/log.c", '#include "config/errors.h"')
    return "a circle of rooms: host/base host/config\n",


def unknown_room(t):
    t.source("host/attic/box.c")
    return "host/attic: this room is not in rooms.txt\n",


def no_such_room(t):
    t.rule += "room host/cellar:\n"
    return "rooms.txt: there is no room host/cellar\n",


def room_without_a_word(t):
    t.write("docs/architecture.md", t.read("docs/architecture.md").replace("`host/hds`", "`hds`"))
    return "docs/architecture.md: does not say what the room `host/hds` is for\n",


def spelling(t):
    t.after_comment("host/run/post.c", '#include "run/limit.h"\n#include "../base/lines.h"\n#include "nowhere.h"')
    return ('host/run/post.c:', ': "run/limit.h" should be "limit.h"\n', ': "../base/lines.h" should be "base/lines.h"\n',
            ': "nowhere.h" is not there\n')


def public_header(t):
    t.after_comment("host/api/headpipe.h", '#include "base/log.h"')
    return "host/api -> host/base: includes host/base/log.h\n", ": a public header includes host/base/log.h\n"


def long_file(t):
    t.source("filters/long.c", "\n" * 399)
    return "filters/long.c:1: 401 lines, and the first comment gives no reason",


def another_name(t):
    shutil.move(os.path.join(t.folder, "filters/axes.c"), os.path.join(t.folder, "filters/turn.c"))
    return 'filters/turn.c:1: the first comment does not begin with "turn.c - "\n',


def known_but_gone(t):
    t.rule += "known filters -> host/run\nknown circle host/run/post.c host/run/perf.c\nknown long filters/axes.c\n"
    return ("rooms.txt: known filters -> host/run has gone; take it out\n",
            "rooms.txt: known circle: host/run/perf.c host/run/post.c is in no circle any more; take it out\n",
            "rooms.txt: known long filters/axes.c is not so any more; take it out\n")


def known_and_there(t):
    t.rule += "known filters -> host/run\n"
    t.after_comment("filters/axes.c", '#include "run/pipeline.h"')
    return None


def nothing(t):
    return None


PLANTS = (nothing, include_upwards, another_header_than_the_one, symbol_upwards, circle_of_files, circle_of_headers,
          circle_of_rooms, unknown_room, no_such_room, room_without_a_word, spelling, public_header, long_file, another_name,
          known_but_gone, known_and_there)


def main():
    for plant in PLANTS:
        with tempfile.TemporaryDirectory() as folder:
            t = Tree(folder)
            sentences = plant(t)
            code, said = t.check()
            missing = [s for s in sentences or () if s not in said]
            if missing or code != (1 if sentences else 0):
                sys.exit(f"{plant.__name__}: exit {code}, not said: {missing}\n{said}")
    print(f"count: planted faults that are named {len(PLANTS)}/{len(PLANTS)}")


if __name__ == "__main__":
    main()

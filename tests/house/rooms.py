#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rooms.py - the layers of the source tree, checked: who includes whom, and whose functions are called by whom.

    rooms.py [-v] [--objects BUILD] [ROOT]

A room is a folder of sources. rooms.txt beside this file says which rooms a room may use. The arrows are the #include
lines of every source, and the symbols that its object file wants from another's. Named are, with file and line:
arrows that the table does not allow, includes that are not written as they should be ("room/file.h" from another room,
the bare name inside a room and for public headers), circles of rooms and of files, files of more than 400 lines whose
first comment gives no reason ("More than 400 lines: ..."), first comments that do not begin with the file's name, and
rooms that docs/architecture.md does not explain.
-v prints every arrow between rooms. Exit status 1 when anything is wrong."""
import argparse, collections, os, re, subprocess, sys

TOPS = ("host", "inputs", "filters", "outputs")
NAMED = TOPS + ("tests", "bench")  # whose first comments are read
LONGEST = 400
PAGE = "docs/architecture.md"
MODULE = re.compile(r"hp_(input|filter|output|encoder)_\w+$")


class Rule:
    """rooms.txt, read."""

    def __init__(self, path):
        self.may, self.public, self.generated, self.registry = {}, [], [], []
        self.known_arrows, self.known_circles, self.known_long = [], [], []
        lists = {"public": self.public, "generated": self.generated, "registry": self.registry}
        for number, line in enumerate(open(path), 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] in lists and len(words) == 2:
                lists[words[0]].append(words[1])
            elif words[0] == "room" and len(words) > 1 and words[1].endswith(":"):
                self.may[words[1][:-1]] = set(words[2:])
            elif words[0] == "known" and words[1:2] == ["circle"] and len(words) > 3:
                self.known_circles.append(set(words[2:]))
            elif words[0] == "known" and words[1:2] == ["long"] and len(words) == 3:
                self.known_long.append(words[2])
            elif words[0] == "known" and words[2:3] == ["->"] and len(words) == 4:
                self.known_arrows.append((words[1], words[3]))
            else:
                sys.exit(f"{path}:{number}: not understood: {line.rstrip()}")
        for room, others in self.may.items():
            for other in others:
                if other != "*" and other not in self.may and os.path.dirname(other) not in self.may:
                    sys.exit(f"{path}: {room} may include {other}, which is no room")

    def allows(self, room, file):
        """May a file of this room use that file?"""
        other = os.path.dirname(file)
        may = self.may.get(room, ())
        return (other == room or "*" in may or other in may or file in self.public
                or os.path.splitext(file)[0] + ".h" in may)


def sources(root, tops):
    for top in tops:
        for folder, dirs, names in os.walk(os.path.join(root, top)):
            dirs.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def includes(root, file):
    """(line, text between the quotes) of every #include "..."."""
    for number, line in enumerate(open(os.path.join(root, file), encoding="utf-8"), 1):
        m = re.match(r'\s*#\s*include\s+(?:"([^"]+)"|<(headpipe[-\w]*\.h)>)', line)
        if m:
            yield number, m[1] or m[2]


def include_arrows(root, files, rule, wrong):
    """[(file, line, included file)]; complains about the way they are written."""
    arrows, known = [], set(files)
    for file in files:
        here = os.path.dirname(file)
        for line, name in includes(root, file):
            target = next((t for t in (os.path.join(here, name), "host/api/" + name, "host/" + name, name)
                           if os.path.normpath(t) in known), None)
            if target is None:
                if name not in rule.generated:
                    wrong(f'{file}:{line}: "{name}" is not there')
                continue
            target = os.path.normpath(target)
            room = os.path.dirname(target)
            meant = (os.path.basename(target) if room == here or target in rule.public
                     else target[len("host/"):] if target.startswith("host/") else target)
            if name != meant:
                wrong(f'{file}:{line}: "{name}" should be "{meant}"')
            arrows.append((file, line, target))
    return arrows


def symbol_arrows(build, files, rule):
    """{(file, file that defines it): [symbols]}, as far as objects are there."""
    defined, wanted, static = {}, collections.defaultdict(set), set(files)
    objects = []
    for file in files:
        path = os.path.join(build, file[:-2] + ".o")
        if file.endswith(".c") and os.path.exists(path):
            objects.append((file, path))
    for at in range(0, len(objects), 100):
        part = objects[at:at + 100]
        out = subprocess.run(["nm", "-A", "-g", "-P"] + [o for _, o in part], capture_output=True, text=True, check=True)
        of = {o: f for f, o in part}
        for line in out.stdout.splitlines():
            place, symbol, kind = line.split()[:3]
            file = of[place.rstrip(":")]
            if kind == "U":
                wanted[file].add(symbol)
            elif kind in "TDBRCVW":
                defined[symbol] = file
    arrows = collections.defaultdict(list)
    for file, symbols in wanted.items():
        for symbol in symbols:
            other = defined.get(symbol)
            if other and other != file and not (file in rule.registry and MODULE.match(symbol)):
                arrows[file, other].append(symbol)
    return arrows, len(objects)


def circles(arrows):
    """Tarjan's strongly connected components of more than one node."""
    graph = collections.defaultdict(set)
    for a, b in arrows:
        graph[a].add(b)
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(graph.get(v, ())):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            part = stack[stack.index(v):]
            del stack[stack.index(v):]
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for v in sorted(graph):
        if v not in index:
            visit(v)
    return found


def first_comment(root, file):
    text = open(os.path.join(root, file), encoding="utf-8").read()
    m = re.match(r"\s*/\*(.*?)\*/", text, re.S)
    return text.count("\n"), re.sub(r"\n \* ?", "\n", m[1]) if m else ""


def check_comments(root, files, rule, wrong):
    long = set()
    for file in files:
        lines, comment = first_comment(root, file)
        name = os.path.basename(file)
        if not re.search(rf"(^|\n)\s*{re.escape(name)} (\(\w+\) )?- ", comment):
            wrong(f'{file}:1: the first comment does not begin with "{name} - "')
        if lines > LONGEST and file.startswith(TOPS) and "More than 400 lines: " not in " ".join(comment.split()):
            long.add(file)
            if file not in rule.known_long:
                wrong(f'{file}:1: {lines} lines, and the first comment gives no reason ("More than 400 lines: ...")')
    for file in rule.known_long:
        if file not in long:
            wrong(f"rooms.txt: known long {file} is not so any more; take it out")


def check_circles(what, found, rule, wrong):
    for circle in found:
        if not any(set(circle) <= known for known in rule.known_circles):
            wrong(f"a circle of {what}: {' '.join(circle)}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-v", action="store_true")
    p.add_argument("--objects", default=os.environ.get("B", "build"))
    p.add_argument("--rule")
    p.add_argument("root", nargs="?", default=".")
    a = p.parse_args()
    rule = Rule(a.rule or os.path.join(os.path.dirname(os.path.abspath(__file__)), "rooms.txt"))
    faults = []
    wrong = faults.append
    files = list(sources(a.root, TOPS))
    rooms = sorted({os.path.dirname(f) for f in files})
    for room in rooms:
        if room not in rule.may:
            wrong(f"{room}: this room is not in rooms.txt")
    page = os.path.join(a.root, PAGE)
    told = open(page, encoding="utf-8").read() if os.path.exists(page) else ""
    for room in rule.may:
        if room not in rooms:
            wrong(f"rooms.txt: there is no room {room}")
        elif f"`{room}`" not in told:
            wrong(f"{PAGE}: does not say what the room `{room}` is for")

    included = include_arrows(a.root, files, rule, wrong)
    used, objects = symbol_arrows(a.objects, files, rule)
    seen_known = set()

    def judge(file, other, where, says):
        arrow = os.path.dirname(file), os.path.dirname(other)
        if rule.allows(arrow[0], other):
            return
        if arrow in rule.known_arrows:
            seen_known.add(arrow)
        else:
            wrong(f"{where}: {arrow[0]} -> {arrow[1]}: {says}")

    for file, line, other in included:
        judge(file, other, f"{file}:{line}", f"includes {other}")
    for (file, other), symbols in sorted(used.items()):
        judge(file, other, file, f"uses {', '.join(sorted(symbols))} of {other}")
    for file, line, other in included:
        if file in rule.public and other not in rule.public:
            wrong(f"{file}:{line}: a public header includes {other}")
    for arrow in rule.known_arrows:
        if arrow not in seen_known:
            wrong(f"rooms.txt: known {arrow[0]} -> {arrow[1]} has gone; take it out")

    included_between = collections.Counter((os.path.dirname(f), os.path.dirname(o)) for f, _, o in included)
    used_between = collections.Counter()
    for (file, other), symbols in used.items():
        used_between[os.path.dirname(file), os.path.dirname(other)] += len(symbols)
    of_rooms = circles([x for x in included_between | used_between if x[0] != x[1]])
    of_files = circles(list(used)) + circles([(f, o) for f, _, o in included])
    check_circles("rooms", of_rooms, rule, wrong)
    check_circles("files", of_files, rule, wrong)
    in_circles = set().union(*of_rooms, *of_files)
    for known in rule.known_circles:
        gone = sorted(f for f in known if f not in in_circles)
        if gone:
            wrong(f"rooms.txt: known circle: {' '.join(gone)} is in no circle any more; take it out")
    check_comments(a.root, [f for f in sources(a.root, NAMED) if f.endswith((".c", ".h"))], rule, wrong)

    if a.v:
        print("room -> room (includes/symbols)")
        for room in rule.may:
            arrows = sorted(x for x in included_between | used_between if x[0] == room and x[1] != room)
            print(f"{room:20} -> {', '.join(f'{x[1]} {included_between[x]}/{used_between[x]}' for x in arrows) or '-'}")
    for fault in faults:
        print(fault)
    arrows = sum(n for (r, o), n in included_between.items() if r != o)
    known = len(rule.known_arrows) + len(rule.known_circles) + len(rule.known_long)
    print(f"rooms: {len(rooms)} rooms, {len(files)} files, {objects} objects, {arrows} includes between rooms, "
          f"{known} known faults, {len(faults)} new")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""mutate.py N SEED [FILE...] - which small changes of the program does no test notice?

Takes N changes by chance (the same for the same seed) out of all that can be made in host/run, host/pose and filters:
another operator, another constant, a condition turned round, a statement left out. Each one is compiled by itself and
linked into the unit programs that contain its file, the one that has caught most of them so far first; what passes them
all meets some of the whole-program tests. What passes these too has survived and is shown. equivalent.txt lists
changes that no test can notice, with the reason. Exit 1 when 5 % or more survive."""
import collections, concurrent.futures, glob, os, random, re, shutil, subprocess, sys, tempfile, threading

COUNT, SEED, ONLY = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
B = os.environ.get("B") or "build"
E2E = ["control", "network", "replay", "file", "idle", "exec", "session_replay", "open_again", "constant", "blocked_file"]
GUARD = 120  # s; a change that makes a test hang is caught
SWAPS = [(r"<=", "<"), (r">=", ">"), (r"(?<![<>\-=])<(?![<=])", "<="), (r"(?<![<>\-=])>(?![>=])", ">="), (r"==", "!="), (r"!=", "=="),
         (r"&&", "||"), (r"\|\|", "&&"), (r"(?<=[\w)\]]) \+ (?=[\w(])", " - "), (r"(?<=[\w)\]]) - (?=[\w(])", " + "),
         (r"(?<=[\w)\]]) \* (?=[\w(])", " / "), (r"(?<=[\w)\]]) / (?=[\w(])", " * "), (r"\+=", "-="), (r"-=", "+="), (r"\btrue\b", "false"),
         (r"\bfalse\b", "true"), (r"(?<=\()!(?=[a-z])", ""), (r"(?<= )!(?=[a-z])", "")]


def made(variable, *more):
    out = subprocess.run(["make", "-s", f"BUILD={B[6:] if B.startswith('build/') else ''}", "--eval", f"words: ; @printf '%s\\n' \"$({variable})\"", "words",
                          *more], capture_output=True, text=True, check=True)
    return out.stdout.split()


def masked(text):
    """The same length, with comments, strings and preprocessor lines blank."""
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])*\'|(?m:^#(?:[^\n]*\\\n)*[^\n]*$)', blank, text, flags=re.S)


def changes(path):
    """(line number from 0, old line, new line) of everything that can be changed."""
    text = open(path, encoding="utf-8").read()
    real, plain = text.split("\n"), masked(text).split("\n")
    inside = False
    for i, (line, code) in enumerate(zip(real, plain)):
        if re.match(r"\{", code):
            inside = True
        elif re.match(r"\}", code):
            inside = False
        if not inside or not code.startswith("\t") or not code.strip():
            continue
        put = lambda a, b, new: line[:a] + new + line[b:]
        for pattern, new in SWAPS:
            for m in re.finditer(pattern, code):
                yield i, line, put(*m.span(), new)
        for m in re.finditer(r"(?<![\w.])(\d+)(?![\w.])", code):
            yield i, line, put(*m.span(), str(int(m[1]) + 1))
        for m in re.finditer(r"(?<![\w.])(\d+\.\d*|\d+e-?\d+)(?![\w.])", code):
            yield i, line, put(*m.span(), f"({m[1]} * 2 + 1e-3)")
        m = re.match(r"\t+if \((.*)\)( \{)?$", code)
        if m and m[1].count("(") == m[1].count(")"):
            a, b = m.span(1)
            yield i, line, put(a, b, f"!({line[a:b]})")
        if re.match(r"\t+(?!return|break|continue|goto|case|default|struct|static|const|int |int64_t |double |size_t |bool |uint\w+ |char |void |enum )"
                    r"[\w*(][^;{}]*(\)|=.*|\+\+|--);$", code) and code.count("(") == code.count(")"):
            yield i, line, re.match(r"\t+", line)[0] + ";"


class Change:
    def __init__(self, path, line, old, new):
        self.path, self.line, self.old, self.new = path, line, old, new
        self.key = (path, old.strip(), new.strip())

    def __str__(self):
        return f"{self.path}:{self.line + 1}:\n  - {self.old.strip()}\n  + {self.new.strip()}"


compile_words = made("call COMPILE,$(PC_CFLAGS)")
link_words, libs = made("LINK"), made("PC_LIBS")
plain_objects = made("PLAINO")
objects = {}  # the symbols that a unit program has, to know which files are in it
for exe in sorted(glob.glob(f"{B}/tests/unit/test_*")):
    if os.path.exists(f"tests/unit/{os.path.basename(exe)}.c"):  # neither an object nor what an older checkout left
        names = subprocess.run(["nm", exe], capture_output=True, text=True).stdout.split("\n")
        objects[os.path.basename(exe)] = {l.split()[-1] for l in names if re.search(" [TtDdRr] ", l)}
included = {}  # unit programs that include a source itself
for test in objects:
    for name in re.findall(r'(?m)^#include "([\w/]+\.c)"', open(f"tests/unit/{test}.c").read()):
        included.setdefault("host/" + name if os.path.exists("host/" + name) else name, []).append(test)
caught_by = collections.Counter()
lock = threading.Lock()


def symbols_of(path):
    out = subprocess.run(["nm", f"{B}/{path[:-2]}.o"], capture_output=True, text=True).stdout.split("\n")
    return {l.split()[-1] for l in out if " T " in l or " D " in l or " R " in l}


def kind_of(path):
    return ["-DHP_BUILTIN=filter"] if path.startswith("filters/") else []


def ends_well(words, where, **env):
    try:
        return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=GUARD, env={**os.environ, **env}).returncode in (0, 77)
    except subprocess.TimeoutExpired:
        return False


def tried(change, where):
    """What becomes of it: "no change" when it does not compile or gives the same code, the name of what catches it, or None."""
    shutil.rmtree(where, ignore_errors=True)
    room = os.path.dirname(change.path)
    overlay = f"{where}/overlay/{re.sub('^host/', '', change.path)}"
    os.makedirs(os.path.dirname(overlay))
    os.makedirs(f"{where}/tests/unit")
    os.symlink(os.path.abspath(f"{B}/tests/modules"), f"{where}/tests/modules")
    text = open(change.path, encoding="utf-8").read().split("\n")
    text[change.line] = change.new
    with open(overlay, "w", encoding="utf-8") as f:
        f.write("\n".join(text))
    obj, before = f"{where}/changed.o", f"{where}/before.o"
    quiet = ["-w", "-g0", "-iquote", room]
    if subprocess.run([*compile_words, *kind_of(change.path), *quiet, "-c", overlay, "-o", obj], capture_output=True).returncode:
        return "no change"
    with open(overlay + ".was.c", "w", encoding="utf-8") as f:
        f.write(open(change.path, encoding="utf-8").read())
    subprocess.run([*compile_words, *kind_of(change.path), *quiet, "-c", overlay + ".was.c", "-o", before], check=True, capture_output=True)
    code = [subprocess.run(["objdump", "-d", "-r", "-s", "-j", ".text", "-j", ".rodata", "-j", ".data", "-j", ".data.rel.ro", o], capture_output=True, text=True)
            .stdout.split("\n")[3:] for o in (obj, before)]
    if code[0] == code[1]:
        return "no change"
    mine = symbols_of(change.path)
    with lock:
        tests = sorted((t for t in objects if objects[t] & mine), key=lambda t: (-caught_by[change.path, t], os.path.getsize(f"{B}/tests/unit/{t}.o")))
    tests += [t for t in included.get(change.path, []) if t not in tests]
    for test in tests:
        exe, one, own = f"{where}/tests/unit/{test}", f"{B}/tests/unit/{test}.o", [obj]
        if test in included.get(change.path, []):
            one, own = f"{where}/{test}.o", []
            if subprocess.run([compile_words[0], "-I", f"{where}/overlay", *compile_words[1:], "-w", "-iquote", room, "-c", f"tests/unit/{test}.c", "-o", one],
                              capture_output=True).returncode:
                return "no change"
        subprocess.run([*link_words, one, *plain_objects, *own, f"{B}/libhost.a", "-o", exe, *libs, "-lcmocka", "-ldl", "-lm", "-lpthread"], check=True)
        good = ends_well([exe], where)
        os.unlink(exe)
        if not good:
            with lock:
                caught_by[change.path, test] += 1
            return test
    subprocess.run([*link_words, f"{B}/host/main.o", obj, f"{B}/libhost.a", "-o", f"{where}/headpipe", *libs, "-ldl", "-lm", "-lpthread"], check=True)
    shutil.copy(f"{B}/have.h", where)
    for test in E2E:
        if not ends_well(["python3", f"tests/e2e/{test}.py"], where, B=where, PYTHONDONTWRITEBYTECODE="1"):
            return test
    return None


def usable(test):
    """Does it pass as it is, in a folder of its own?"""
    with tempfile.TemporaryDirectory() as d:
        os.makedirs(f"{d}/tests/unit")
        os.symlink(os.path.abspath(f"{B}/tests/modules"), f"{d}/tests/modules")
        shutil.copy(f"{B}/tests/unit/{test}", f"{d}/tests/unit/{test}")
        return ends_well([f"{d}/tests/unit/{test}"], d)


def main():
    for test in [t for t in objects if not usable(t)]:
        print(f"skip: {test} does not pass as it is, so it counts for nothing here", flush=True)
        del objects[test]
    for test in [t for t in E2E if not ends_well(["python3", f"tests/e2e/{t}.py"], None, B=os.path.abspath(B), PYTHONDONTWRITEBYTECODE="1")]:
        print(f"skip: tests/e2e/{test}.py does not pass as it is, so it counts for nothing here", flush=True)
        E2E.remove(test)
    files = ONLY or sorted(glob.glob("host/run/*.c") + glob.glob("host/pose/*.c") + glob.glob("filters/*.c") + glob.glob("filters/*/*.c"))
    every = [Change(path, *c) for path in files for c in changes(path)]
    equivalent = set()
    with open("tests/mutants/equivalent.txt", encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                equivalent.add(tuple(w.strip() for w in line.split(" | ")[:3]))
    random.Random(SEED).shuffle(every)
    listed = sum(c.key in equivalent for c in every)
    queue = iter([c for c in every if c.key not in equivalent])
    done = survived = 0
    by = collections.Counter()

    def work(number):
        nonlocal done, survived
        with tempfile.TemporaryDirectory() as d:
            while True:
                with lock:
                    change = next(queue, None)
                    if change is None or done >= COUNT:
                        return
                    done += 1
                what = tried(change, d + "/w")
                with lock:
                    if what == "no change":
                        done -= 1
                    elif what is None:
                        survived += 1
                        print(f"SURVIVED {change}", flush=True)
                    else:
                        by[what] += 1

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for f in [pool.submit(work, i) for i in range(os.cpu_count())]:
            f.result()
    print("caught by", ", ".join(f"{t} {n}" for t, n in by.most_common()))
    print(f"mutants: {done} of {len(every)} possible changes in {len(files)} files (seed {SEED}), {survived} survived ({100 * survived / max(done, 1):.1f} %), "
          f"{listed} are known to change nothing")
    sys.exit(survived * 20 >= done)


main()

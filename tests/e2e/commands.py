# SPDX-License-Identifier: MIT
"""Every command that `headpipe help` lists takes its arguments in the same ways and refuses wrong ones in the same words."""
import re
from lib import *

MISSING = "/nonexistent/file"  # so that nothing is done
BAD = {"TIME": "never", "NUMBER": "many", "COUNT": "many"}  # what such a value cannot be


def call(*words):
    p = subprocess.run([headpipe, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=d, timeout=120)
    return p.returncode, p.stdout, p.stderr


def usage_of(name):
    """The places of the arguments, and (option, value or None) of the options, from the program's own usage line."""
    code, out, err = call(name, "-h")
    check(code == 0 and not err and out.startswith(f"headpipe {name}"), f"{name} -h: {code} {out}{err}")
    check("exit status: 0 " in out, f"{name} -h tells nothing of the exit status")
    text = " ".join(re.split(r"\n  (?! )", out)[0].split())  # the usage line may be broken
    line = text[len(f"headpipe {name}"):]
    options = re.findall(r"(?<=[ \[(])(-[a-z]|--[a-z-]+)(?: ([^-\[\](|][^\[\]( ]*))?", line)
    places = re.split(r"[ \[(]-", line)[0].split()
    return places, [(o, v or None) for o, v in options], line


code, out, err = call("help")
names = re.findall(r"^  ([a-z-]+)  ", out, re.M)
lines = out.split("\n\n")[1].splitlines()[1:]
check(len(names) == len(lines) >= 22 and names == sorted(names), f"{len(lines)} lines, {names}")
count = 0
for name in names:
    places, options, line = usage_of(name)
    good = [p.strip("[]").split("|")[0] for p in places if "|" not in places]
    good = [g if g.islower() else MISSING for g in good if g]
    for words in (["-h"], ["--help"], ["--nonsense", "-h"], ["x", "y", "z", "u", "v", "--help"], ["-h", "--nonsense"]):
        check(call(name, *words) == call(name, "-h"), f"{name} {words} is not {name} -h")
    check(call("help", name)[1].startswith(call(name, "-h")[1]), f"help {name} is not {name} -h")
    for words, what in ((["--nonsense"], "unknown option --nonsense"), (["--nonsense=1"], "unknown option --nonsense"),
                        (["--hepl"], "unknown option --hepl; did you mean `--help`?")):
        code, out, err = call(name, *good, *words)
        first, _, second = err.partition("\n")
        check(code == 2 and not out and first == f"headpipe {name}: {what}" and second == f"usage: headpipe {name}{line}\n",
              f"{name} {words}: {code} {out}{err}")
    code, out, err = call(name, "--", "--nonsense")
    check("unknown option" not in err, f"{name} -- --nonsense: {err}")
    if "..." not in line.split(" [-")[0]:
        code, out, err = call(name, *good, *["x"] * 4)
        check(code == 2 and re.search(rf"^headpipe {name}: one argument too many: \S+\nusage: ", err), f"{name}: {code} {err}")
    for option, value in options:
        count += 1
        if value is None:
            code, out, err = call(name, *good, option + "=yes")
            check(code == 2 and f"headpipe {name}: {option} takes no value\n" in err, f"{name} {option}=yes: {code} {err}")
            continue
        code, out, err = call(name, *good, option)
        check(code == 2 and f"headpipe {name}: {option} lacks its value: {option} {value}" in err, f"{name} {option}: {code} {err}")
        wrong = BAD.get(value, "nonsense")
        apart, joined = call(name, *good, option, wrong), call(name, *good, f"{option}={wrong}")
        check(apart == joined, f"{name} {option} {wrong}: {apart}, with a =: {joined}")
        if len(option) == 2:
            check(call(name, *good, option + wrong) == apart, f"{name} {option}{wrong} is another thing")
        if value in BAD or "|" in value:
            check(apart[0] == 2 and f"headpipe {name}: {option} {wrong}: " in apart[2], f"{name} {option} {wrong}: {apart}")
check(count > 50, f"{count} options only")

# what is one command's own
ini = write("two.ini", "[input a]\nuse = synth\nspeed = 0\nduration = 1s\n[output n]\nuse = null\n")
for words in (["-s", "a.duration=2s"], ["-sa.duration=2s"], ["-s=a.duration=2s"]):
    code, out, err = call("run", ini, *words)
    check(code == 0 and "200 samples" in err, f"run {words}: {code} {err}")
for words in (["--for", "1"], ["--for=1"], ["--for", "1s"], ["--for=1000ms"]):
    code, out, err = call("run", ini, "-s", "a.speed=1", "-s", "a.duration=1h", *words)
    check(code == 0, f"run {words}: {code} {err}")
check(call("check", ini, "-sa.rate=x")[0] == 2, "check with a wrong -s")
for words, what in ((["export", "x", "--csv", "--json"], "--csv and --json exclude each other"),
                    (["info", "x", "--json", "--events"], "--json and --events exclude each other"),
                    (["dump", "--raw", "--hid-recorder"], "--raw and --hid-recorder exclude each other"),
                    (["export", "x", "--csv", "--nanoseconds"], "--nanoseconds is for --hid-recorder"),
                    (["export", "x", "--hid-recorder", "--fields", "yaw"], "--fields is for --csv and --json"),
                    (["cut", "x", "-o", "y", "--from", "5", "--to=4s"], "--to must be behind --from"),
                    (["plot", "x", "-oy", "--from", "5", "--to=5s"], "--to must be behind --from"),
                    (["udev", "match"], "match needs a FOLDER"), (["udev", "rule", "x"], "one argument too many: x"),
                    (["try", "osc", "x", "y"], "one argument too many: y"), (["run"], "FILE is missing"),
                    (["cut", "x"], "-o FILE is missing"), (["version", "x"], "one argument too many: x")):
    code, out, err = call(*words)
    check(code == 2 and what in err and "\nusage: headpipe " + words[0] in err, f"{words}: {code} {err}")
code, out, err = call()
check(code == 2 and out == call("help")[1], "without a command")
check(call("-h") == call("help") and call("--help") == call("help") and call("-V") == call("version"), "headpipe -h, -V")
code, out, err = call("rnu")
check(code == 2 and err == "headpipe: no command `rnu`; did you mean `run`? (`headpipe help` lists them)\n", err)
end(f"{len(names)} commands, {count} options")

#!/bin/sh
# SPDX-License-Identifier: MIT
# Every configuration in conf/ and in the documentation is one: `headpipe check` takes it. Behind
# <!-- check: NAME --> the documentation shows a file NAME and then, as the next text block, exactly what check prints.
# UPDATE=1 writes those blocks anew.
set -u
cd "$(dirname "$0")/../.."
exec python3 - "${B:-build}/headpipe" "${UPDATE:-}" conf/*.ini README.md docs/*.md <<'END'
import os, re, subprocess, sys, tempfile

program, update, files = os.path.abspath(sys.argv[1]), sys.argv[2], [f for f in sys.argv[3:] if os.path.exists(f)]
env = dict(os.environ, HOME="/home/me", HEADPIPE_MODULES="")
failed = checked = 0

def check(folder, name):
    p = subprocess.run([program, "check", name], cwd=folder, env=env, capture_output=True, text=True)
    # where an installation keeps modules is no part of the text
    return p.returncode, re.sub(r", [^ ,]*/lib/headpipe(?= |$)", ", /usr/local/lib/headpipe", p.stdout + p.stderr, flags=re.M) \
        .replace("built-ins, /usr/local/lib/headpipe, ", "built-ins, /home/me/.local/lib/headpipe, ")

def bad(where, what):
    global failed
    failed += 1
    print(f"{where}: {what}")

not_built = [line.split()[0] for line in subprocess.run([program, "modules"], env=env, capture_output=True, text=True).stdout.splitlines()
             if "not built: needs" in line]
with tempfile.TemporaryDirectory() as folder:
    for file in files:
        if file.endswith(".ini"):
            checked += 1
            if any(re.search(rf"\b{name}\b", open(file).read()) for name in not_built):
                continue
            status, text = check(".", file)
            if status:
                bad(file, text)
            continue
        page = open(file, encoding="utf-8").read()
        for m in re.finditer(r"(?:<!-- check: (\S+) -->\n)?```ini\n(.*?)```", page, re.S):
            name, ini = m[1], m[2]
            if not name and not ("[input" in ini and "[output" in ini):
                continue
            if any(re.search(rf"\b{n}\b", ini) for n in not_built):
                continue
            checked += 1
            where = f"{file}:{page.count(chr(10), 0, m.start()) + 1}"
            with open(os.path.join(folder, name or "example.ini"), "w", encoding="utf-8") as f:
                f.write(ini)
            status, text = check(folder, name or "example.ini")
            if not name:
                if status:
                    bad(where, text)
                continue
            shown = re.compile(r"```text\n(.*?)```", re.S).search(page, m.end())
            if not shown or shown[1] != text:
                if update and shown:
                    new = open(file, encoding="utf-8").read()
                    with open(file, "w", encoding="utf-8") as f:
                        f.write(new.replace(shown[0], "```text\n" + text + "```", 1))
                else:
                    bad(where, f"check prints\n{text}and not what the page shows")
print(f"count: documented configurations {checked - failed}/{checked}")
sys.exit(1 if failed or not checked else 0)
END

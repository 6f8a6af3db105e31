#!/bin/sh
# SPDX-License-Identifier: MIT
# Links between the pages lead to files and headings that exist; a source file named in `code` is in the tree.
set -u
cd "$(dirname "$0")/../.."
exec python3 - README.md docs/*.md <<'END'
import os, re, sys

def anchors(path):
    page = re.sub(r"```.*?```", "", open(path, encoding="utf-8").read(), flags=re.S)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", page, re.M)}

failed = n = 0
for file in (f for f in sys.argv[1:] if os.path.exists(f)):
    page = re.sub(r"```.*?```", "", open(file, encoding="utf-8").read(), flags=re.S)
    wanted = [t for t in re.findall(r"\]\(([^)\s]+)\)", page) if not re.match(r"[a-z]+:", t)]
    for target in wanted:
        n += 1
        path, _, anchor = target.partition("#")
        where = os.path.normpath(os.path.join(os.path.dirname(file), path)) if path else file
        if not os.path.exists(where):
            failed += 1
            print(f"{file}: link to {target}: no such file")
        elif anchor and where.endswith(".md") and anchor not in anchors(where):
            failed += 1
            print(f"{file}: link to {target}: no such heading")
    for named in re.findall(r"`((?:host|inputs|filters|outputs|tests|conf|bench|docs)/[\w/.-]+\.\w+)`", page):
        n += 1
        if not os.path.exists(named):
            failed += 1
            print(f"{file}: names {named}, which is not there")
print(f"{n} links and file names followed, {failed} lead nowhere")
sys.exit(1 if failed or not n else 0)
END

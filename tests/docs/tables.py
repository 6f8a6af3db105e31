# SPDX-License-Identifier: MIT
"""Tables of docs/*.md that come from tables of the code stand between two marks:
    <!-- table: NAME; `make docs` writes it -->
    <!-- end of table -->
in the man page between comments of its kind. UPDATE=1 writes them anew; without it this compares. Every table is shown somewhere, every name is one."""
import glob, os, re, subprocess, sys

program = os.path.join(os.environ.get("B", "build"), "docs-tables")
update = os.environ.get("UPDATE")


def ask(*args):
    return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout


names, shown, behind = ask().split(), set(), 0
for page in sorted(glob.glob("docs/*.md")) + ["docs/headpipe.1", "README.md"]:
    if not os.path.exists(page):
        continue
    with open(page, encoding="utf-8") as f:
        old = f.read()

    def table(m):
        if m[2] not in names:
            sys.exit(f"{page}: there is no table {m[2]}; there are {', '.join(names)}")
        shown.add(m[2])
        # markdown wants an empty line before the comment, roff would show it
        return f"{m[1]}\n{ask(m[2])}" + ("" if page.endswith(".1") else "\n") + m[3]

    begin, end = (r'\.\\" table: (\S+); [^\n]*', r'\.\\" end of table') if page.endswith(".1") else \
        (r"<!-- table: (\S+); [^\n]*-->", "<!-- end of table -->")
    new = re.sub(rf"^({begin})\n.*?^({end})$", table, old, flags=re.S | re.M)
    if new == old:
        continue
    behind += 1
    if update:
        with open(page, "w", encoding="utf-8") as f:
            f.write(new)
    else:
        print(f"{page} is behind the code's tables: run `make docs`")
missing = set(names) - shown
if missing:
    print(f"in no page: {', '.join(sorted(missing))}")
print(f"{len(shown)} tables of the code in docs/")
sys.exit(1 if missing or (behind and not update) else 0)

# SPDX-License-Identifier: MIT
# csv when the disk is full: what was written stays whole, one sentence, exit 1, and other outputs get everything.
from lib import *
import resource

HEAD = SYNTH + "speed=0\ncount=5000\n"
full = "headpipe: error: output tape: /dev/full: No space left on device; the file ends after record 0; this output is off\n"

p = run(HEAD + "[output tape]\nuse=csv\ncolumns=id angles quaternion rotvec gyro accel device\npath=all.csv\n[output n]\nuse=null\n")
check(p.returncode == 0 and "output tape: 5000 of 5000 samples" in p.stderr, f"good: {p.stderr}")
whole = read("all.csv").splitlines(keepends=True)
check(len(whole) == 5001, f"{len(whole)} lines")

for speed, count in ((0, 5000), (1, 60)):
    p = run(SYNTH + f"speed={speed}\ncount={count}\n[output tape]\nuse=csv\npath=/dev/full\n[output n]\nuse=null\n")
    told = [l for l in p.stderr.splitlines(keepends=True) if "tape" in l and "error" in l]
    check(p.returncode == 1, f"/dev/full: exit {p.returncode}")
    check(told in ([full], [full.replace("; this output is off", "")]), f"/dev/full: {p.stderr}")
    check("No space" not in p.stderr.replace("".join(told), ""), f"/dev/full, told twice: {p.stderr}")
    check(f"output n: {count} of {count} samples" in p.stderr, f"/dev/full disturbs: {p.stderr}")
p = run(HEAD + "[output tape]\nuse=csv\npath=/dev/full\non_error=stop\n[output n]\nuse=null\n", "-q")
check(p.returncode == 1 and p.stderr.startswith(full[:-len("; this output is off\n")]), f"on_error: {p.stderr}")

# a file that may only have so many bytes: it ends with a whole row
for limit in (100000, 123457, 4096, 300):
    p = run(HEAD + "[output tape]\nuse=csv\ncolumns=id angles quaternion rotvec gyro accel device\npath=some.csv\n[output n]\nuse=null\n", "-q",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    data = read("some.csv")
    rows = data.splitlines(keepends=True)
    fit = 0
    while fit < len(whole) and sum(map(len, whole[:fit + 1])) <= limit:
        fit += 1
    check(p.returncode == 1, f"limit {limit}: exit {p.returncode}")
    check(rows == whole[:fit], f"limit {limit}: {len(rows)} rows of {fit} that fit")
    check(p.stderr.count("\n") == 1 and f"some.csv: File too large; the file ends after record {fit}" in p.stderr,
          f"limit {limit}: {p.stderr}")

# nothing to write to
p = run(HEAD + "[output tape]\nuse=csv\npath=no/such/folder/x.csv\n[output n]\nuse=null\n")
check(p.returncode == 1 and p.stderr.count("No such file or directory") >= 1 and "t.ini:5" in p.stderr, f"no folder: {p.stderr}")
end("disk")

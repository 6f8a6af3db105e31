# SPDX-License-Identifier: MIT
# Output file: framings, rotation by size and time, keep, existing files, SIGHUP, a full disk.
from lib import *
import json

def ini(text, rate=1000, count=600, speed=4):
    return f"[input head]\nuse = synth\nrate = {rate}\ncount = {count}\nspeed = {speed}\n" + text
def run_it(text, **how):
    return run(ini(text, **how), "-q")
def whole(*parts):
    return b"".join(read(n) for n in parts)
# every framing holds the same records
p = run_it("[output a]\nuse=file\npath=a.jsonl\n"
        + "".join(f"[output {n}]\nuse=file\npath={n}.bin\nencoding=hds\nframing={n}\n"
                  for n in ("length32", "length32le", "length16", "length16le"))
        + "[output raw]\nuse=file\npath=raw.bin\nencoding=opentrack\nframing=raw\n")
check(p.returncode == 0 and p.stderr == "", "run: " + p.stderr)
lines = read("a.jsonl").splitlines()
check(len(lines) == 600 and all(json.loads(l)["version"] == 2 for l in lines), f"{len(lines)} lines")
check(len(read("raw.bin")) == 600 * 48, "raw size")
def split(data, head, order):
    out = []
    while data:
        n = int.from_bytes(data[:head], order)
        out.append(data[head:head + n])
        data = data[head + n:]
    return out
records = split(read("length32.bin"), 4, "big")
check(len(records) == 600 and all(r[0] == 0x1e for r in records), "length32")
check(records == split(read("length32le.bin"), 4, "little") == split(read("length16.bin"), 2, "big")
      == split(read("length16le.bin"), 2, "little"), "framings hold different records")
out = command("hds", "decode", "--json", "--framing=length32", "length32.bin").stdout.splitlines()
check([json.loads(l)["body"]["v"][0][1]["v"] for l in out] == [str(i) for i in range(600)], "hds decode --framing")
# numbered files: nothing lost, none over its size, older ones go, a second run goes on
rotating = "[output r]\nuse=file\npath=r.jsonl\nrotate_size=0.0625\n"
p = run_it(rotating)
first = names("r.0")
check(first[0] == "r.000001.jsonl" and len(first) >= 3, f"names {first}")
check(len(whole(*first).splitlines()) == 600, "records over all numbered files")
check(all(os.path.getsize(path_of(n)) <= 65536 for n in first), "a file is over its size")
p = run_it(rotating + "keep=2\n")
left = names("r.0")
check(len(left) == 2 and int(left[-1][2:8]) == 2 * len(first), f"kept {left} after {first}")
# by time, and a file without a sample is not replaced by another one
began = time.monotonic()
p = run_it("[output t]\nuse=file\npath=t\nrotate_every=200ms\n", rate=100, count=100, speed=1)
seconds = time.monotonic() - began
parts = names("t.0")
check(2 <= len(parts) <= seconds / 0.2 + 2 and len(whole(*parts).splitlines()) == 100, f"by time: {parts}")
# existing files
write("e.jsonl", "old\n")
p = run_it("[output e]\nuse=file\npath=e.jsonl\nexisting=refuse\n", count=5)
check(p.returncode == 1 and "exists" in p.stderr and read("e.jsonl") == b"old\n", "refuse: " + p.stderr)
run_it("[output e]\nuse=file\npath=e.jsonl\nexisting=append\n", count=5)
check(len(read("e.jsonl").splitlines()) == 6, "append")
run_it("[output e]\nuse=file\npath=e.jsonl\n", count=5)
check(len(read("e.jsonl").splitlines()) == 5, "replace")
# SIGHUP after a log rotator moved the file
p = start(ini("[output h]\nuse=file\npath=h.jsonl\n", rate=200, count=0, speed=1))
wait_for(lambda: len(lines_of("h.jsonl")) > 20, "samples in the file", p.said)
os.rename(path_of("h.jsonl"), path_of("h.old"))
p.catches(signal.SIGHUP).send_signal(signal.SIGHUP)
wait_for(lambda: len(lines_of("h.jsonl")) > 20, "samples in the new file", p.said)
total = samples_of(p.stop())
old, new = lines_of("h.old"), lines_of("h.jsonl")
check(len(old) + len(new) == total, f"reopen: {len(old)} + {len(new)} of {total}")
# a full disk ends this output with a sentence; the other one goes on
p = run_it("[output full]\nuse=file\npath=/dev/full\n[output b]\nuse=file\npath=b.jsonl\n")
check(p.returncode == 1 and "No space left" in p.stderr and len(read("b.jsonl").splitlines()) == 600, "full: " + p.stderr)
# the next file is there already: that ends this output with a sentence; the other one goes on, and what was written stays
p = start(ini("[output u]\nuse=file\npath=u.jsonl\nrotate_every=2s\n[output b]\nuse=file\npath=u2\n", rate=200, count=0, speed=1))
wait_for(lambda: os.path.exists(path_of("u.000001.jsonl")), "the first file", p.said)
write("u.000002.jsonl", "not ours\n")
p.hears("output u: the next file cannot be opened: " + path_of("u.000002.jsonl") + ": File exists; this output is off")
had = len(lines_of("u2"))
wait_for(lambda: len(lines_of("u2")) > had + 40, "the other one", p.said)
said = p.stop(1)
check(read("u.000002.jsonl") == b"not ours\n" and lines_of("u.000001.jsonl"), said)
check(samples_of(said, "output u") == len(lines_of("u.000001.jsonl")), said)
# one that takes its time to open holds nobody up, and gets everything in the end
write("slow.c", """#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
int open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	va_list ap;
	va_start(ap, flags);
	int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
	va_end(ap);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "open");
	while (strstr(path, "slow.000002") && access("go", F_OK))
		usleep(1000);
	return real(path, flags, mode);
}
""")
if not sanitize:  # theirs must be the first library
    subprocess.run([CC, "-shared", "-fPIC", "-o", path_of("slow.so"), path_of("slow.c"), "-ldl"], check=True)
    p = start(ini("[output s]\nuse=file\npath=slow.jsonl\nrotate_size=0.0625\n[output b]\nuse=file\npath=b2\n", rate=200, count=0, speed=1),
              env={**os.environ, "LD_PRELOAD": path_of("slow.so")})
    wait_for(lambda: len(lines_of("b2")) > 600, "the other one", p.said)
    check(names("slow.0") == ["slow.000001.jsonl"] and os.path.getsize(path_of("slow.000001.jsonl")) > 60000, f"{names('slow.0')}")
    write("go", "")
    wait_for(lambda: len(names("slow.0")) > 1, "the next file", p.said)
    said = p.stop()
    check(len(whole(*names("slow.0")).splitlines()) == samples_of(said) == samples_of(said, "output s"), f"slow: {said}")
# binary bytes are no lines
p = run_it("[output x]\nuse=file\npath=x\nencoding=opentrack\n", count=5)
check(p.returncode == 2 and "length32" in p.stderr, "binary as lines: " + p.stderr)
# wrong options
for text, word in (("keep=2\n", "rotate"), ("rotate_size=0.01\n", "0.0625"), ("framing=json\n", "length32")):
    p = run_it("[output x]\nuse=file\npath=x\n" + text)
    check(p.returncode == 2 and word in p.stderr, f"{text}: {p.stderr}")
end("output file")

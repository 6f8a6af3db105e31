#!/bin/sh
# SPDX-License-Identifier: MIT
# From an installation in a temporary prefix: `headpipe new` makes an encoder, an output, a filter and an input that build, pass their own
# test, run and can be tried; `headpipe try` names what is broken; the examples of docs/writing-an-output.md are the files
# in docs/examples, and run in a pipeline, built with nothing but cc, pkg-config and the installed header.
set -eu
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s --no-print-directory install DESTDIR="$tmp" PREFIX=/usr/local CC="${CC:-cc}" SANITIZE="${SANITIZE:-}" >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	exit 1
}
PATH=$tmp/usr/local/bin:$PATH
HOME=$tmp/home
PKG_CONFIG_PATH=$tmp/usr/local/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp
export PATH HOME PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS
docs=$PWD/docs
cd "$tmp"
bad() {
	echo "wrong: $*"
	exit 1
}
try() { # expected-status expected-text arguments...
	want=$1 text=$2
	shift 2
	status=0
	headpipe try "$@" >out 2>err || status=$?
	[ "$status" = "$want" ] || { cat out err; bad "try $*: status $status"; }
	grep -qF -e "$text" out err || { cat out err; bad "try $*: no \"$text\""; }
}

# a folder each, twice: with the header found by pkg-config and by the place that `new` wrote down
for kind in encoder output filter input; do
	headpipe new $kind my_$kind >/dev/null
	for path in "$PKG_CONFIG_PATH" /nowhere; do
		PKG_CONFIG_PATH=$path make -s -C my_$kind clean my_$kind.so test CC="${CC:-cc}" CFLAGS="-O2 -Werror" >out 2>&1 || {
			cat out
			bad "make -C my_$kind"
		}
		grep -q "my_$kind: ok" out || bad "my_$kind has no test"
	done
	headpipe check my_$kind/my_$kind.ini >/dev/null
	headpipe run -q my_$kind/my_$kind.ini --for 0.1
	# once more by its name, as `make install` puts it
	make -s -C my_$kind install
	headpipe try my_$kind >/dev/null
done
try 0 "2000 samples, 2000 messages of 12 bytes" my_encoder/my_encoder.so
try 0 "message, 12 bytes" my_encoder/my_encoder.so -n 1 -s scale=2
try 0 "text: away" my_output/my_output.so
try 0 "becomes yaw +20" my_filter/my_filter.so -s turn=20
try 0 "2000 samples" my_filter/my_filter.so
try 0 "3 samples" my_input/my_input.so
try 2 "out of range" my_encoder/my_encoder.so -s scale=99
for args in "encoder my_encoder" "decoder x" "encoder json" "filter axes" "input hid" "encoder 1x" "output while" "encoder hp_sample" "encoder errno" "output"; do
	status=0
	headpipe new $args >out 2>err || status=$?
	case "$args" in "encoder my_encoder") want=1 ;; *) want=2 ;; esac
	[ $status = $want ] && [ -s err ] || bad "new $args: status $status"
done

# what is broken is named
cat >crash.c <<'END'
#include <headpipe.h>
#include <stdlib.h>
static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	(void)self, (void)from, (void)buf, (void)cap;
	if (s->seq == 41)
		abort();
	return 0;
}
HP_MODULE(crash) = { HP_MODULE_HEAD, .kind = HP_ENCODER, .name = "crash", .summary = "crashes", .encode = encode };
END
echo 'int x;' >empty.c
cxx="${CC:-cc} -fPIC -shared $(pkg-config --cflags headpipe)"
$cxx crash.c -o crash.so
$cxx empty.c -o empty.so
try 1 "crash.so: the module crashed in encode() at sample 42: Aborted" ./crash.so
# so is what says nonsense: a length beyond the buffer, an error every time, exit()
for what in "long:return (int)cap + 1;" "fails:return -ENOSPC;" "quits:exit(0);"; do
	name=${what%%:*}
	sed "s/\"crash\"/\"$name\"/; s/(crash)/($name)/; s/^\treturn 0;/\t${what#*:}/; s/== 41/== 1000000/; s/<stdlib.h>/<stdlib.h>\n#include <errno.h>/" crash.c >$name.c
	$cxx $name.c -o $name.so
done
try 1 "encode() says it wrote 65508 bytes; the buffer has 65507" ./long.so
try 1 "2000 samples failed" ./fails.so
try 1 "the module ended the program in encode() at sample 1" ./quits.so
# outside of `try`, a length beyond the buffer is refused before anything is sent
printf '[input s]\nuse = synth\ncount = 3\nspeed = 0\n[output o]\nuse = file\npath = long.bin\nframing = raw\nencoding = ./long.so\n' >long.ini
headpipe run long.ini 2>err || true
grep -q "Value too large" err && [ ! -s long.bin ] || { cat err; bad "a length beyond the buffer was believed"; }
# a filter that turns a copy of the pose and not the pose, and one that leaves the copies as they were
for what in "copy:s->ypr[0] += 5;" "master:s->quat[0] = 1; s->quat[1] = s->quat[2] = s->quat[3] = 0;" \
	"seven:return 77;" "long:s->quat[0] *= 3; s->quat[1] *= 3; s->quat[2] *= 3; s->quat[3] *= 3;" "nan:s->quat[0] = 0.0 / (s->quat[0] - s->quat[0]);"; do
	name=${what%%:*} body=${what#*:}
	printf '#include <headpipe.h>\nstatic int filter(void *self, struct hp_sample *s)\n{\n\t(void)self;\n\t%s\n\treturn HP_KEEP;\n}
HP_MODULE(%s) = { HP_MODULE_HEAD, .kind = HP_FILTER, .name = "%s", .summary = "wrong", .filter = filter };\n' "$body" $name $name >$name.c
	$cxx $name.c -o $name.so
done
try 1 "filter() turns ypr[] and leaves quat[] as it was: quat is the master form, so nothing is turned; write quat[] and clear HP_ROTVEC | HP_YPR" ./copy.so
try 1 "filter() returns neither HP_KEEP (0), HP_DROP (1) nor success: the sample is lost" ./seven.so
try 1 "filter() leaves a quat[] that is not of unit length: scale it by 1 / its length" ./long.so
try 1 "filter() makes a number that is not finite: the sample is dropped and the filter reset" ./nan.so
try 1 "filter() turns quat[] and leaves HP_YPR set, but ypr[] is that of the old pose: clear HP_ROTVEC | HP_YPR" ./master.so
printf '[input s]\nuse = synth\ncount = 3\nspeed = 0\n[filter f]\nuse = ./seven.so\n[output o]\nuse = null\n' >seven.ini
headpipe run seven.ini 2>err || true
[ "$(grep -c "its filter() returned 77; allowed are" err)" = 1 ] || { cat err; bad "a filter's nonsense goes unnoticed"; }
try 1 "headpipe_module" ./empty.so
try 1 "No such file" ./missing.so
try 1 "no such module" no_such_module
try 0 "becomes yaw" axes -s invert=yaw
try 0 "2 samples" synth -n 2
try 0 "record for the file" csv -s path=x.csv
[ ! -e x.csv ] || bad "try has written a file"

# the pages
python3 - "$docs" <<'END'
import re, sys
page = open(sys.argv[1] + "/writing-an-output.md").read()
shown = re.findall(r"<!-- source: (\S+) -->\n```c\n(.*?)```\n", page, re.S)
assert len(shown) == 2, "the page shows two sources"
for name, text in shown:
    assert open(f"{sys.argv[1]}/{name}").read() == text, f"docs/{name} and the page differ"
END
cp "$docs"/examples/*.c .
for name in my_sim look_away; do
	# just as the page says it, and with every warning
	$cxx -Wall -Wextra -Werror $name.c -o $name.so
done
python3 - <<'END'
import socket, struct, subprocess
def run(text):
    sockets = []
    for _ in range(2):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 0))
        s.settimeout(5)
        sockets.append(s)
    open("t.ini", "w").write(text.format(*(s.getsockname()[1] for s in sockets)))
    subprocess.run(["headpipe", "run", "-q", "t.ini"], check=True, timeout=20)
    return sockets
a, b = run("[input head]\nuse = synth\nmotion = steps\nnoise = 0\nperiod = 4s\nrate = 10\ncount = 45\nspeed = 0\npitch = 0\nroll = 0\n"
           "[output game]\nuse = udp\nto = 127.0.0.1:{}\nencoding = ./my_sim.so\nscale = 2\n"
           "[output lamp]\nuse = ./look_away.so\nto = 127.0.0.1:{}\nafter = 500ms\n")
packets = [struct.unpack("<3f", a.recv(100)) for _ in range(45)]
want = [0] * 10 + [80] * 10 + [0] * 10 + [-80] * 10 + [0] * 5
assert all(abs(p[0] - w) < 1e-4 and p[1] == p[2] == 0 for p, w in zip(packets, want)), packets
assert [b.recv(100) for _ in range(3)] == [b"away\n", b"back\n", b"away\n"]
END
echo "new encoder, output, filter and input, try, two documented examples: built and run from a temporary prefix"

#!/bin/sh
# SPDX-License-Identifier: MIT
# A module that switches the whole program to German (a comma in every number of printf and strtod) changes no byte.
set -eu
here=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! locale -a 2>/dev/null | grep -qix 'de_DE.utf-\?8'; then
	command -v localedef >/dev/null 2>&1 && localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" >/dev/null 2>&1 || {
		echo "skip: no German locale and no way to make one (localedef, package locales)"
		exit 77
	}
	LOCPATH=$tmp
	export LOCPATH
fi
cat >"$tmp/german.c" <<'END'
#include <headpipe.h>
#include <errno.h>
#include <locale.h>
#include <string.h>
static int open_german(void *self, const struct hp_host *host)
{
	char text[8];
	(void)self;
	setlocale(LC_ALL, "de_DE.UTF-8");
	snprintf(text, sizeof text, "%.1f", 0.5);
	if (strcmp(text, "0,5")) {
		host->log(host, HP_LOG_ERROR, "this is not German");
		return -EINVAL;
	}
	return 0;
}
static int nothing(void *self, const struct hp_sample *s)
{
	(void)self, (void)s;
	return 0;
}
HP_MODULE(german) = { HP_MODULE_HEAD, .kind = HP_OUTPUT, .name = "german", .summary = "speaks German", .open = open_german,
	              .write = nothing };
END
${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -fPIC -shared -Ihost/api "$tmp/german.c" -o "$tmp/german.so"
encodings=$("$here/${B:-build}/headpipe" modules | sed -n '/^encoders/,$p' | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p' | grep -v '^not$')
run() { # folder, first section of outputs
	mkdir "$tmp/$1"
	{
		printf '[input head]\nuse = replay\npath = %s/tests/golden/pipeline.hid\nspeed = 0\n%s' "$here" "$2"
		printf '[filter orientation]\nsmoothing = 0.18\n[filter turn]\nuse = axes\n'
		for e in $encodings; do
			printf '[output %s]\nuse = file\npath = %s.out\nencoding = %s\n' "$e" "$e" "$e"
			case $e in opentrack | msgpack | hds | osc | flightgear) echo 'framing = length32' ;; esac
		done
		printf '[output table]\nuse = csv\npath = table.csv\ncolumns = id angles quaternion rotvec position gyro accel device\n'
		printf '[output console]\n'
	} >"$tmp/$1/run.ini"
	(cd "$tmp/$1" && "$here/${B:-build}/headpipe" run run.ini -q >console.out 2>errors.out) || {
		cat "$tmp/$1/errors.out"
		exit 1
	}
	rm "$tmp/$1/run.ini"
}
run c ''
run german "[output german]
use = $tmp/german.so
"
# the console's lines follow this machine's clock, so only their form is the same
for folder in c german; do
	! grep -v '^yaw  *[-+][0-9]*\.[0-9] pitch  *[-+][0-9]*\.[0-9] roll  *[-+][0-9]*\.[0-9]\( [0-9]* samples/s\)\{0,1\}$' \
		"$tmp/$folder/console.out" || { echo "$folder: lines of another form"; exit 1; }
	[ -s "$tmp/$folder/console.out" ] || { echo "$folder: the console says nothing"; exit 1; }
	rm "$tmp/$folder/console.out"
done
diff -r "$tmp/c" "$tmp/german" || { echo "German changes bytes"; exit 1; }
tr -d '\r' <"$tmp/german/json.out" | cmp - tests/golden/pipeline.json
# options that are read while the program speaks German, and the sentences about them
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/e2e GERMAN=$tmp/german.so python3 - <<'END'
from program import *
def ini(smoothing):
    return SYNTH + f"frame=device\n[output german]\nuse={os.environ['GERMAN']}\n[filter orientation]\nsmoothing={smoothing}\n" \
        "[output n]\nuse=null\n[output s]\nuse=json_udp\nto=127.0.0.1:9\n"
p = start(ini("0.18"))
def hup(text, want):
    write("t.ini", text)
    p.send_signal(signal.SIGHUP)
    got = ""
    while want not in got:
        line = p.stderr.readline()
        got += line
        if not line:
            break
    check(want in got, f"wanted {want!r}, got {got!r}")
time.sleep(0.3)
hup(ini("0.25"), "headpipe: filter orientation: smoothing is now 0.25\n")
hup(ini("0,5"), "smoothing = 0,5: not a number; write a point, not a comma\n")
hup(ini("1.5"), "0.001 to 1, default 0.18\n")
p.send_signal(signal.SIGINT)
check(p.wait(20) == 0, "end")
end("locale")
END

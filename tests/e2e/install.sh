#!/bin/sh
# SPDX-License-Identifier: MIT
# `make install` into an empty folder: the program runs from there, its configurations and manual page are in place,
# and with nothing but the installed header, cc and pkg-config a module is built that runs in a pipeline.
set -eu
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s --no-print-directory install DESTDIR="$tmp" PREFIX=/usr/local CC="${CC:-cc}" SANITIZE="${SANITIZE:-}" >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	exit 1
}
root=$tmp/usr/local
for f in bin/headpipe include/headpipe.h lib/pkgconfig/headpipe.pc share/man/man1/headpipe.1 share/headpipe/conf/demo.ini \
	share/doc/headpipe/LICENSE; do
	[ -s "$root/$f" ] || { echo "$f is not installed"; exit 1; }
done
# the rule and the unit name the program where it will be, not where it was built or unpacked
grep -q 'PROGRAM=="/usr/local/bin/headpipe udev match %S%p", TAG+="uaccess"' "$tmp/etc/udev/rules.d/70-headpipe.rules"
grep -q '^ExecStart=/usr/local/bin/headpipe run ' "$root/lib/systemd/user/headpipe.service"
[ -d "$root/lib/headpipe" ] || { echo "lib/headpipe is not there"; exit 1; }
cd "$tmp"
PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
[ "$(pkg-config --variable=moduledir headpipe | sed "s|^$tmp||")" = /usr/local/lib/headpipe ]
cat >my_sim.c <<'END'
#include <errno.h>
#include <headpipe.h>
#include <string.h>
struct my_sim { double scale; };
static const struct hp_option options[] = {
	HP_OPT_REAL(struct my_sim, scale, "1.0", 0.01, 10, "multiplies every angle"),
	HP_OPT_END
};
static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	const struct my_sim *m = self;
	float packet[3];
	(void)from;
	if (cap < sizeof packet)
		return -ENOSPC;
	for (int i = 0; i < 3; i++)
		packet[i] = (float)(s->ypr[i] * m->scale);
	memcpy(buf, packet, sizeof packet);
	return sizeof packet;
}
HP_MODULE(my_sim) = {
	HP_MODULE_HEAD, .kind = HP_ENCODER, .name = "my_sim", .summary = "packets for My Sim",
	.options = options, .state_size = sizeof(struct my_sim), .encode = encode,
};
END
${CC:-cc} -Wall -Wextra -Werror -fPIC -shared $(pkg-config --cflags headpipe) my_sim.c -o my_sim.so
cat >sim.ini <<'END'
[input head]
use = synth
motion = still
noise = 0
count = 5
speed = 0
[output sim]
use = udp
to = 127.0.0.1:9
encoding = ./my_sim.so
scale = 2
END
HOME=$tmp HEADPIPE_MODULES= "$root/bin/headpipe" run sim.ini -q
sed -i 's|^encoding.*|encoding = my_sim|' sim.ini
HOME=$tmp HEADPIPE_MODULES=$tmp "$root/bin/headpipe" check sim.ini | grep -q 'udp my_sim'
HOME=$tmp HEADPIPE_MODULES=$tmp "$root/bin/headpipe" help my_sim | grep -q 'multiplies every angle'
"$root/bin/headpipe" check "$root/share/headpipe/conf/demo.ini" >/dev/null
if command -v groff >/dev/null 2>&1; then
	groff -man -Tutf8 -ww "$root/share/man/man1/headpipe.1" >man.txt 2>man.err && [ -s man.txt ] && [ ! -s man.err ]
fi
cd - >/dev/null
make -s --no-print-directory uninstall DESTDIR="$tmp" PREFIX=/usr/local >/dev/null 2>&1
left=$(find "$root" -type f)
[ -z "$left" ] || { echo "uninstall leaves $left"; exit 1; }
echo "installed, used with a module of its own, and uninstalled"

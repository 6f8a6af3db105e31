#!/bin/sh
# SPDX-License-Identifier: MIT
# A module that crashes is named, also when the crash is in the C library below it.
set -u
[ -z "${SANITIZE:-}" ] || { echo "skip: a sanitizer names the crash itself"; exit 77; }
B=${B:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/bad.c" <<'C'
#include <headpipe.h>
#include <string.h>
struct bad { int n; char *p; };
static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	struct bad *b = self;
	(void)from, (void)cap;
	b->p = (char *)8;
	if (b->n++ == 5)
		memset(b->p, 1, (size_t)s->seq + 300);
	memset(buf, 0, 4);
	return 4;
}
HP_MODULE(bad) = { HP_MODULE_HEAD, .kind = HP_ENCODER, .name = "bad", .summary = "crashes at the sixth sample",
	.state_size = sizeof(struct bad), .encode = encode };
C
${CC:-cc} -O1 -fPIC -shared -Ihost/api -o "$dir/bad.so" "$dir/bad.c" || exit 1
printf '[input head]\nuse = synth\n[output a]\nuse = udp\nto = 127.0.0.1:9\nencoding = %s/bad.so\n' "$dir" >"$dir/a.ini"
(ulimit -c 0; timeout 20 "$B/headpipe" run "$dir/a.ini") 2>"$dir/err"
status=$?
grep -q "crashed in the module $dir/bad.so" "$dir/err" && [ $status = 139 ] && { echo "crash: the module is named"; exit 0; }
cat "$dir/err"
echo "crash: status $status"
exit 1

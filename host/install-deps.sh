#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what headpipe needs on Debian and Ubuntu; says what to install elsewhere.
#   install-deps.sh build   libraries to build and run
#   install-deps.sh test    and what the tests use
#   install-deps.sh device  what `make test-device` uses
set -eu
build="build-essential pkg-config libuv1-dev libmsgpack-dev libhidapi-dev libinih-dev zlib1g-dev libjansson-dev libzstd-dev liblz4-dev libdeflate-dev liblo-dev libevdev-dev libmosquitto-dev"
test="libcmocka-dev clang clang-format libclang-rt-14-dev python3 python3-msgpack locales valgrind mosquitto mosquitto-clients liblo-tools tshark puredata-core nodejs npm"
device="qemu-system-x86 busybox-static cpio evtest"
want=$build
case ${1:-build} in build) ;; device) want=$device ;; *) want="$build $test" ;; esac
missing=
if command -v dpkg-query >/dev/null 2>&1; then
	for p in $want; do
		case $(dpkg-query -W -f '${Status}' "$p" 2>/dev/null || true) in *" installed") ;; *) missing="$missing $p" ;; esac
	done
else
	echo "headpipe: this is not Debian. Please install, by your system's names for them: $want" >&2
	exit 1
fi
# a Node.js that came by another way is good enough
if command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1; then
	missing=$(printf ' %s ' "$missing" | sed 's/ nodejs / /; s/ npm / /')
fi
[ -n "$(echo $missing)" ] || exit 0
as=
[ "$(id -u)" = 0 ] || as=sudo
echo "headpipe: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
if ! $as env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >/dev/null 2>&1; then
	$as apt-get update >/dev/null
	$as env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >/dev/null
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# No source gives a warning, with gcc or clang.
set -u
[ -z "${SANITIZE:-}" ] || { echo "skip: the plain run has looked already"; exit 77; }
B=${B:-build}
flags='-std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
	-Wvla -Wformat=2 -Wimplicit-fallthrough -Werror -ffp-contract=off -fsyntax-only'
include="-Ihost/api -Ihost -I. -I$B -Itests/unit -Itests/plain"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
packages=
for p in libuv msgpack hidapi-hidraw inih zlib libzstd liblo libevdev libmosquitto; do
	pkg-config --exists $p && packages="$packages $p"
done
include="$include $(pkg-config --cflags $packages)"
# what the build left out for want of a library cannot be compiled here
without=
while read -r _ name value; do
	case $name in
	HP_HAVE_LIBLO) [ "$value" = 1 ] || without="$without outputs/encoders/osc.c" ;;
	HP_HAVE_LIBEVDEV) [ "$value" = 1 ] || without="$without outputs/uinput.c" ;;
	HP_HAVE_MOSQUITTO) [ "$value" = 1 ] || without="$without outputs/mqtt.c inputs/mqtt.c host/io/broker.c host/io/broker_thread.c host/io/broker_cause.c host/io/topic.c" ;;
	esac
done <"$B/have.h"
failed=0 count=0
for cc in gcc clang; do
	command -v $cc >/dev/null 2>&1 || { echo "skip: no $cc here"; continue; }
	all=
	for f in host/*/*.c host/*/*/*.c inputs/*.c inputs/*/*.c filters/*.c outputs/*.c outputs/*/*.c bench/*.c tests/unit/*.c tests/unit/modules/*.c \
		tests/plain/*.c tests/fuzz/*.c; do
		[ -f "$f" ] || continue
		case " $without " in *" $f "*) continue ;; esac
		all="$all $f"
		count=$((count + 1))
	done
	printf '%s\n' $all | xargs -P 2 -n 12 sh -c '
		cc=$1 flags=$2 include=$3
		shift 3
		for f; do
			case $f in
			inputs/*) kind=-DHP_BUILTIN=input ;; filters/*) kind=-DHP_BUILTIN=filter ;;
			outputs/encoders/*) kind=-DHP_BUILTIN=encoder ;; outputs/*) kind=-DHP_BUILTIN=output ;; *) kind= ;;
			esac
			$cc $flags $kind $include "-DHP_VERSION=\"0\"" "-DHP_PREFIX=\"/usr/local\"" "$f" || exit 255
		done' sh $cc "$flags" "$include" >"$tmp/out" 2>&1 || { failed=1; head -n 30 "$tmp/out"; }
done
[ $failed = 0 ] && echo "warnings: none in $count compilations"
[ $failed = 0 ]

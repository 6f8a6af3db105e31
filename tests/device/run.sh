#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs headpipe in a virtual machine whose kernel has virtual head trackers (uhid): the real hidraw, the real udev, without
# hardware and without touching this machine. Needs QEMU, busybox, cpio, evtest and Debian's kernel package, which is only
# unpacked, never installed. Exit 77 = skipped, with the reason.
#   tests/device/run.sh [CASE...]      all cases, or only those named
# Environment: B (build folder), CC, HEADPIPE_DEVICE_CACHE (where kernel and udev are kept; default build/device-cache)
set -eu
cd "$(dirname "$0")/../.."
B=${B:-build} CC=${CC:-cc} out=$B/device
cache=${HEADPIPE_DEVICE_CACHE:-build/device-cache}
mkdir -p "$cache" "$out"
cache=$(cd "$cache" && pwd)
skip() {
	echo "skip: device tests: $*"
	exit 77
}

# tools, and what the machine runs
sh host/install-deps.sh device >"$out/install.log" 2>&1 || true
for tool in qemu-system-x86_64 cpio; do
	command -v $tool >/dev/null 2>&1 || skip "no $tool ($(tail -n 1 "$out/install.log"))"
done
busybox=$(command -v busybox || true)
evtest=$(command -v evtest || true)
[ -n "$busybox" ] && [ -n "$evtest" ] || skip "no busybox or no evtest ($(tail -n 1 "$out/install.log"))"
fetch() { # package file-in-cache
	[ ! -e "$cache/$2" ] || return 0
	tmp=$(mktemp -d)
	chmod 755 "$tmp"
	(cd "$tmp" && { apt-get download -qq "$1" || { apt-get update -qq && apt-get download -qq "$1"; }; }) \
		>"$out/fetch.log" 2>&1 || { rm -rf "$tmp"; return 1; }
	mv "$tmp"/*.deb "$cache/$2"
	rm -rf "$tmp"
}
command -v dpkg-deb >/dev/null 2>&1 || skip "this is not Debian: no kernel package to unpack"
# the ordinary kernel: the one for clouds has no uinput
if [ ! -e "$cache/linux/vmlinuz" ]; then
	depends() { apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1; }
	kernel=$(depends)
	[ -n "$kernel" ] || { apt-get update -qq >/dev/null 2>&1 || true
		kernel=$(depends); }
	[ -n "$kernel" ] || skip "apt knows no linux-image-amd64"
	fetch "$kernel" kernel.deb || skip "cannot download $kernel: $(tail -n 1 "$out/fetch.log")"
	tmp=$(mktemp -d)
	dpkg-deb --fsys-tarfile "$cache/kernel.deb" | tar -x -C "$tmp" --wildcards './boot/vmlinuz*' '*/drivers/hid/*' \
		'*/drivers/input/*'
	mkdir "$tmp/linux"
	find "$tmp/lib" -name '*.ko' \( -name 'hid.ko' -o -name 'hid-generic*' -o -name 'hid-sensor*' -o -name 'uhid*' -o \
		-name 'evdev*' -o -name 'uinput*' \) -exec cp -t "$tmp/linux" {} +
	mv "$tmp"/boot/vmlinuz* "$tmp/linux/vmlinuz"
	[ -e "$tmp/linux/uinput.ko" ] || skip "$kernel has no uinput module"
	rm -rf "$cache/linux"
	mv "$tmp/linux" "$cache/linux"
	rm -rf "$tmp" "$cache/kernel.deb"
fi
if [ ! -x "$cache/udev/bin/udevadm" ]; then
	for p in udev systemd; do fetch $p $p.deb || skip "cannot download $p: $(tail -n 1 "$out/fetch.log")"; done
	rm -rf "$cache/udev"
	for p in udev systemd; do dpkg-deb -x "$cache/$p.deb" "$cache/udev" && rm "$cache/$p.deb"; done
	# libraries of udev that this machine may not have
	for p in libkmod2 libacl1 libblkid1 libcap2 libselinux1 libzstd1 liblzma5 libssl3 libpcre2-8-0; do
		dpkg-query -W -f '${Status}' $p 2>/dev/null | grep -q ' installed$' || { fetch $p $p.deb &&
			dpkg-deb -x "$cache/$p.deb" "$cache/udev" && rm "$cache/$p.deb"; } || true
	done
fi

# the file system of the machine
root=$out/root
rm -rf "$root"
for d in bin lib/modules proc sys dev tmp run etc/udev/rules.d usr/lib/udev/rules.d conf; do mkdir -p "$root/$d"; done
warn="-std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wshadow -O2"
$CC $warn -static -o "$root/bin/virtual_tracker" tests/device/virtual_tracker.c -lm
$CC $warn -static -o "$root/bin/udp_catch" tests/device/udp_catch.c
cp "$B/headpipe" "$cache/udev/bin/udevadm" "$evtest" "$root/bin/"
cp "$busybox" "$root/bin/busybox"
for a in $("$busybox" --list); do [ "$a" = busybox ] || ln -sf busybox "$root/bin/$a"; done
export LD_LIBRARY_PATH="$cache/udev/usr/lib/x86_64-linux-gnu:$cache/udev/lib/x86_64-linux-gnu"
for l in $(ldd "$root/bin/headpipe" "$root/bin/udevadm" "$evtest" "$busybox" 2>/dev/null | grep -o '/[^ ]*' | grep -v ':$' | sort -u); do
	case $l in
	"$cache"/udev/*) to=${l#"$cache/udev"} ;;
	*) to=$l ;;
	esac
	mkdir -p "$root/$(dirname "$to")"
	cp -L "$l" "$root/$to"
done
unset LD_LIBRARY_PATH
cp "$cache"/linux/*.ko "$root/lib/modules/"
# the rule that hands nodes to the seated user, as on a desktop
cp "$cache"/udev/lib/udev/rules.d/73-seat-late.rules "$root/usr/lib/udev/rules.d/"
[ ! -e conf/70-headpipe.rules ] || sed 's,@BINDIR@,/bin,' conf/70-headpipe.rules >"$root/conf/70-headpipe.rules"
cp conf/71-headpipe-uinput.rules conf/default.ini "$root/conf/" 2>/dev/null || true
printf 'root:x:0:0::/tmp:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\nuser:x:1000:\ninput:x:101:\n' >"$root/etc/group"
cp tests/device/init "$root/init"
chmod 755 "$root/init"
cp tests/device/cases.sh "$root/cases.sh"
[ $# = 0 ] || echo "$*" >"$root/only"
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$out/initramfs.gz"
rm -rf "$root"

# boot: software emulation, because it works everywhere; cx16 is left out, QEMU 7.2 does it wrong
status=0
timeout 480 qemu-system-x86_64 -machine pc,accel=tcg -cpu qemu64,-cx16 -smp 1 -m 320 \
	-kernel "$cache/linux/vmlinuz" -initrd "$out/initramfs.gz" \
	-append "console=ttyS0 quiet panic=-1 nokaslr mitigations=off" \
	-nodefaults -no-user-config -display none -serial stdio -no-reboot </dev/null >"$out/console.raw" 2>"$out/qemu.log" ||
	status=$?
tr -d '\r' <"$out/console.raw" >"$out/console.log"
# texts that the machine sent: "FILE name", lines, "END"
rm -rf "$out/texts"
mkdir -p "$out/texts"
awk -v dir="$out/texts" '/^FILE [a-z0-9_.-]+$/ { f = dir "/" $2; printf "" > f; next } /^END$/ { if (f) close(f); f = ""; next }
	f { print > f }' "$out/console.log"
grep -E '^(guest|case|FAILED|  *)' "$out/console.log" | grep -vE '^  ' || true
if ! grep -q '^GUEST-EXIT 0$' "$out/console.log"; then
	echo "device tests FAILED (qemu exit $status); the whole console is in $out/console.log:"
	tail -n 40 "$out/console.log"
	exit 1
fi
# docs/troubleshooting.md shows these texts: numbers may differ, words may not; a busy machine changes the line on reports
plain() { sed -E -e 's,/bin/headpipe,/usr/local/bin/headpipe,' -e 's,live\.ini,conf/default.ini,' -e 's/[0-9A-F]+/#/g'; }
sed -E 's/[0-9A-F]+/#/g' docs/troubleshooting.md docs/devices.md >"$out/docs.txt"
stale=0
for f in "$out"/texts/probe-*.txt "$out"/texts/doctor-*.txt; do
	[ -e "$f" ] || continue
	plain <"$f" | grep -vE '^(ok|note) +reports' | while IFS= read -r line; do
		[ -z "$line" ] || grep -qxF -- "$line" "$out/docs.txt" || echo "$(basename "$f"): $line"
	done >"$out/stale.txt"
	[ ! -s "$out/stale.txt" ] || { echo "docs/troubleshooting.md does not show:"; cat "$out/stale.txt"; stale=1; }
done
[ $stale = 0 ] || exit 1
echo "count: device cases $(grep -c '^case ' "$out/console.log")"
echo "device: $(grep -c '^case ' "$out/console.log") cases ok"

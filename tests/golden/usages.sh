#!/bin/sh
# SPDX-License-Identifier: MIT
# HID usages are known by their names in inputs/decode/usages.def and nowhere by their numbers.
set -u
cd "$(dirname "$0")/../.."
rows=$(grep -c '^HP_[A-Z_]*USAGE(\|^HP_SELECTOR(' inputs/decode/usages.def)
if grep -rnE '0x0{0,2}20[0-9a-fA-F]{4}\b|"[^"]*0020:[0-9a-f]{4}' --include='*.[ch]' host inputs outputs filters |
	grep -v '^inputs/decode/usages.h:'; then
	echo "a usage by its number; name it in inputs/decode/usages.def"
	exit 1
fi
echo "$rows usages, all by name"
[ "$rows" -gt 0 ]

#!/bin/sh
# SPDX-License-Identifier: MIT
# host/number/tables.c is what its generator writes.
set -eu
command -v python3 >/dev/null 2>&1 || { echo "no python3 here"; exit 77; }
python3 host/number/tables.py | cmp - host/number/tables.c
echo "number tables: as generated"

#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables in docs/ are those of the code; see tables.py.
set -u
cd "$(dirname "$0")/../.."
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 tests/docs/tables.py

#!/bin/sh
# SPDX-License-Identifier: MIT
# The bundled recording is what its generator writes.
set -eu
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
python3 tests/data/make-recording.py | cmp - conf/head-motion.hid
echo "conf/head-motion.hid is what tests/data/make-recording.py writes"

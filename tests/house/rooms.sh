#!/bin/sh
# SPDX-License-Identifier: MIT
# The layers of the source tree are as rooms.txt says, and the check finds faults that are planted in a copy.
set -eu
cd "$(dirname "$0")/../.."
python3 tests/house/planted.py
python3 tests/house/rooms.py -v

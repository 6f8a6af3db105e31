#!/bin/sh
# SPDX-License-Identifier: MIT
# HDS bytes against @homebridge/hap-nodejs, the version in tests/interop/hds/package-lock.json, from npm.
set -eu
B=${B:-build}
for tool in node npm; do
	command -v $tool >/dev/null || { echo "skip: $tool is not installed"; exit 77; }
done
# one copy for all builds; a change of the lock file makes a new one
work=build/interop-hds
lock=tests/interop/hds/package-lock.json
mkdir -p $work
if ! cmp -s $lock $work/installed; then
	cp tests/interop/hds/package.json $lock $work/
	if ! (cd $work && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000 >npm.log 2>&1); then
		if grep -qE 'ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|ECONNRESET|ERR_SOCKET_TIMEOUT|network' $work/npm.log; then
			echo "skip: the npm registry cannot be reached"
			exit 77
		fi
		cat $work/npm.log
		exit 1
	fi
	cp $lock $work/installed
fi
cp tests/interop/hds/check.js $work/
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
node $work/check.js "$B/headpipe" "$scratch"

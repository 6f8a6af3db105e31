#!/bin/sh
# SPDX-License-Identifier: MIT
# Filters that make the pose better, as a user has them: the ready inis hold, a replay through kalman and resample gives the
# same bytes at any speed, `headpipe judge` judges, and no figure of pose quality is worse than the committed one.
set -eu
B=${B:-build}
headpipe=$B/headpipe
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
die() {
	echo "$*"
	exit 1
}
"$headpipe" check conf/game.ini conf/vr-audio.ini >/dev/null || die "the ready inis are wrong"

cat >"$tmp/replay.ini" <<END
[input head]
use = replay
path = $PWD/conf/head-motion.hid
to = 2s
[filter axes_of_the_sensor]
use = mount
axis_map = YXZ
invert = XZ
[filter still]
use = kalman
[filter even]
use = resample
[output raw]
use = file
path = $tmp/poses
encoding = opentrack
framing = raw
END
for mode in predict interpolate; do
	for speed in 0 1 10; do
		"$headpipe" run -q "$tmp/replay.ini" -s head.speed=$speed -s even.mode=$mode 2>"$tmp/log" ||
			die "replay at speed $speed: $(cat "$tmp/log")"
		mv "$tmp/poses" "$tmp/$mode.$speed"
	done
	[ "$(wc -c <"$tmp/$mode.0")" -gt 20000 ] || die "$mode: only $(wc -c <"$tmp/$mode.0") bytes of poses"
	cmp "$tmp/$mode.0" "$tmp/$mode.1" || die "$mode: speed 1 gives other poses than speed 0"
	cmp "$tmp/$mode.0" "$tmp/$mode.10" || die "$mode: speed 10 gives other poses than speed 0"
done
cmp -s "$tmp/predict.0" "$tmp/interpolate.0" && die "predict and interpolate are the same"

# judge: the ready ini is as near as a few hundredths of a degree, and at once; text, JSON, a drawing, and what is wrong
"$headpipe" judge conf/head-motion.hid >"$tmp/table" 2>"$tmp/log"
grep -q '^kalman, resample ' "$tmp/table" && grep -q '^The head never rests' "$tmp/table" || die "judge: $(cat "$tmp/table" "$tmp/log")"
"$headpipe" judge conf/head-motion.hid conf/vr-audio.ini conf/default.ini --json --svg "$tmp/j.svg" >"$tmp/json" 2>"$tmp/log"
python3 - "$tmp/json" "$tmp/j.svg" <<'END' || die "judge --json: $(cat "$tmp/json")"
import json, sys, xml.dom.minidom
whole = json.load(open(sys.argv[1]))
runs = whole["runs"]
# this head never rests: stillness is of its quietest half second, and that is said
assert whole["rest_s"] == 0 and 2 < whole["quietest_deg_s"] < 20, whole
assert all(0 < r["rest_sd_deg"] < 1 for r in runs) and runs[0]["rest_sd_deg"] < runs[1]["rest_sd_deg"], runs
good, usual = runs
assert [r["filters"] for r in runs] == ["conf/vr-audio.ini", "conf/default.ini"]
assert abs(good["lag_ms"]) <= 1 and good["error_deg"] < 0.1 and good["ripple_deg_s"] < 5, good
assert usual["lag_ms"] > 5 and usual["error_deg"] > 3 * good["error_deg"], usual
drawing = xml.dom.minidom.parse(sys.argv[2])
assert len([p for p in drawing.getElementsByTagName("path")]) > 6
END
python3 tests/e2e/kalman_advice.py "$headpipe" "$tmp" || die "kalman's advice is wrong"
"$headpipe" judge "$tmp/none.hid" >/dev/null 2>"$tmp/log" && die "judge takes a recording that is not there"
grep -q "none.hid" "$tmp/log" || die "judge does not name the file: $(cat "$tmp/log")"
printf '[input synth]\n[filter kalman]\nstilness = 1\n[output null]\n' >"$tmp/wrong.ini"
rc=0
"$headpipe" judge conf/head-motion.hid "$tmp/wrong.ini" >/dev/null 2>"$tmp/log" || rc=$?
[ $rc = 2 ] && grep -q 'wrong.ini:3: .*stilness' "$tmp/log" || die "judge, wrong ini: $rc, $(cat "$tmp/log")"
head -c 3000 conf/head-motion.hid | sed '$d' >"$tmp/short.hid"
"$headpipe" judge "$tmp/short.hid" >/dev/null 2>"$tmp/log" && die "judge judges a moment"
grep -q "short.hid" "$tmp/log" || die "judge, short: $(cat "$tmp/log")"

if [ -x "$B/headpipe-bench-pose" ]; then
	"$B/headpipe-bench-pose" --check bench/pose/figures.txt
else
	echo "pose: replay and judge; figures only in the plain build"
fi

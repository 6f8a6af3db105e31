# SPDX-License-Identifier: MIT
# The device cases; runs inside the test machine (busybox sh). Each case is a function; `ok` prints what it asserted.
cd /tmp
failed=0
now() { cut -d' ' -f1 /proc/uptime; }
fail() {
	echo "FAILED $current: $*"
	failed=1
	bad=1
}
expect() { # file pattern what
	grep -qE -- "$2" "$1" || { fail "$3: no /$2/ in $1"; sed 's/^/    | /' "$1" | head -n 30; }
}
expect_not() {
	! grep -qE -- "$2" "$1" || { fail "$3: unexpected /$2/ in $1"; sed 's/^/    | /' "$1" | head -n 30; }
}
same() { # what got want
	[ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}
# Waits until a pattern is in a file, at most 20 s.
wait_for() {
	n=0
	until grep -qE -- "$2" "$1" 2>/dev/null; do
		n=$((n + 1))
		[ $n -lt 200 ] || { fail "waited in vain for /$2/ in $1"; sed 's/^/    | /' "$1" | tail -n 20; return 1; }
		sleep 0.1
	done
}
wait_node() {
	n=0
	until [ -e /dev/hidraw"${1:-0}" ]; do
		n=$((n + 1))
		[ $n -lt 100 ] || { fail "no node /dev/hidraw${1:-0}"; return 1; }
		sleep 0.05
	done
}
wait_no_node() {
	n=0
	while [ -e /dev/hidraw"${1:-0}" ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.05; done
}
plug() { # options of virtual_tracker
	virtual_tracker "$@" &
	tracker=$!
}
unplug() { # pid...
	kill "$@" 2>/dev/null
	wait "$@" 2>/dev/null
	return 0
}
# Starts headpipe with the ini and its log in run.log; pid in $run.
start() {
	headpipe run "$@" >run.out 2>run.log &
	run=$!
}
stop() {
	kill -INT $run
	wait $run
	same "exit status of run" $? 0
}
show() { # name file: sends a text to the outside
	echo "FILE $1"
	cat "$2"
	echo END
}
ini() { # of the default pipeline, without a listener
	cat >live.ini <<END
[input hid]
$1
[filter orientation]
[output opentrack_udp]
[output json_udp]
END
}
run_case() {
	current=$1 bad=0 begin=$(now)
	rm -f run.log run.out dev.log udp.txt
	case_$1
	jobs -p | xargs -r kill 2>/dev/null
	wait
	wait_no_node 0
	wait_no_node 1
	[ $bad = 1 ] || echo "case $1: $said ($(echo "$begin $(now)" | awk '{printf "%.1f", $2 - $1}') s)"
}
ok() { said=$*; }

case_bluetooth() {
	ini
	plug --log dev.log --name "Sony WH-1000XM5"
	udp_catch udp.txt 4242 4243 &
	catch=$!
	start live.ini
	wait_for run.log 'connected'
	sleep 2
	stop
	unplug $tracker
	kill $catch; wait $catch
	expect run.log 'Sony WH-1000XM5 connected, (9[0-9]|10[0-9]) reports/s' "log line"
	same "start-up writes" "$(grep '^W' dev.log | head -n 3)" "W 1 0103"
	n=$(grep -c '^4242 ' udp.txt)
	[ "$n" -gt 250 ] || fail "only $n datagrams"
	same "as many JSON datagrams" "$(grep -c '^4243 ' udp.txt)" "$n"
	ok "found, set up with feature report 1 = 03, $n poses at 100 reports/s"
}

cases="bluetooth"
[ ! -e /only ] || cases=$(cat /only)
for c in $cases; do run_case "$c"; done
exit $failed

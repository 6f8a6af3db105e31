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
# Waits until a pattern is in a file, at most 40 s: the machine that runs this one may be busy.
wait_for() {
	n=0
	until grep -qE -- "$2" "$1" 2>/dev/null; do
		n=$((n + 1))
		[ $n -lt 400 ] || { fail "waited in vain for /$2/ in $1"; sed 's/^/    | /' "$1" | tail -n 20; return 1; }
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
	expect run.log 'Sony WH-1000XM5 connected, [0-9]+ reports/s' "log line"
	same "start-up writes" "$(grep '^W' dev.log | head -n 3)" "W 1 0103"
	n=$(grep -c '^4242 ' udp.txt)
	[ "$n" -gt 100 ] || fail "only $n datagrams"
	same "as many JSON datagrams" "$(grep -c '^4243 ' udp.txt)" "$n"
	ok "found, set up with feature report 1 = 03, $n poses"
}

# Stops the tracker that `plug` started last.
out() {
	unplug $tracker
}
udev_start() { # with the rules in /etc/udev/rules.d; the seat's user is 1000, as logind would write it
	mkdir -p /run/systemd/seats /run/udev
	printf 'IS_ACTIVE=1\nACTIVE=1\nACTIVE_UID=1000\n' >/run/systemd/seats/seat0
	ln -sf /bin/udevadm /tmp/systemd-udevd
	/tmp/systemd-udevd --daemon >udevd.log 2>&1 || fail "udevd does not start: $(cat udevd.log)"
}
udev_stop() {
	killall systemd-udevd 2>/dev/null
	rm -f /etc/udev/rules.d/* /run/udev/tags/*/* 2>/dev/null
}
as_user() {
	su user -c "cd /tmp; PATH=/bin; $*"
}

case_usb() {
	ini "vendor = 0x054c
product = 0x0df0
serial = usb-1"
	plug --bus usb --vendor 054c --product 0df0 --uniq usb-1 --name "USB Tracker" --log dev.log
	wait_node
	headpipe probe >probe.txt
	same "exit status of probe" $? 0
	expect probe.txt '054c:0df0 on USB' "bus and numbers"
	expect probe.txt 'serial     usb-1' "serial"
	start live.ini
	wait_for run.log 'USB Tracker connected, [0-9]+ reports/s'
	stop
	out
	same "settings" "$(grep '^W' dev.log | head -n 1)" "W 1 0103"
	ok "found by vendor, product and serial; same settings"
}

case_interval() {
	ini "interval_ms = 40"
	plug --log dev.log
	start live.ini
	wait_for run.log 'connected, (1[0-9]|2[0-5]) reports/s'
	stop
	out
	# 0 to 63 is 10 to 100 ms: 40 ms is 21, in bits 2 to 7
	same "settings" "$(grep '^W' dev.log | head -n 1)" "W 1 0157"
	ok "40 ms is written as 21 of 63 and gives no more than 25 reports/s"
}

case_protocol2() {
	ini
	plug --layout v2 --log dev.log
	wait_node
	headpipe probe --json >probe.txt
	same "exit status of probe" $? 0
	expect probe.txt '"marker": "#AndroidHeadTracker#2.0#3"' "marker"
	expect probe.txt '"protocol": "2.0"' "protocol"
	expect probe.txt '"interval_max_ms": 100.0' "interval"
	start live.ini
	wait_for run.log 'connected, [0-9]+ reports/s'
	stop
	out
	same "settings" "$(grep '^W' dev.log | head -n 1)" "W 1 010300"
	ok "version 2.0 with both transports: ACL, power and events in one write"
}

case_without_ids() {
	ini
	plug --layout noids --log dev.log
	start live.ini
	wait_for run.log 'connected, [0-9]+ reports/s'
	stop
	out
	expect dev.log '^W 0 0003' "a zero in place of the ID, then the settings"
	ok "no report IDs: leading zero, marker found"
}

case_replug() {
	ini
	plug --name "Sony WH-1000XM5" --log dev.log
	start live.ini
	wait_for run.log 'connected, '
	out
	wait_for run.log 'Sony WH-1000XM5 went away \(.*\); waiting for it to come back'
	wait_no_node
	virtual_tracker --layout mouse --name "In the way" --uniq m --product 9 &
	mouse=$!
	wait_node 0
	plug --name "Sony WH-1000XM5" --log dev2.log
	wait_node 1
	n=0
	until [ "$(grep -c 'connected, ' run.log)" = 2 ] || [ $n -gt 100 ]; do n=$((n + 1)); sleep 0.1; done
	same "connections" "$(grep -c 'connected, ' run.log)" 2
	files=$(ls /proc/$run/fd | wc -l)
	for i in 1 2 3; do
		out
		n=$(grep -c 'went away' run.log)
		plug --name "Sony WH-1000XM5" --log dev2.log
		t=0
		until [ "$(grep -c 'connected' run.log)" -gt $((i + 1)) ] || [ $t -gt 100 ]; do t=$((t + 1)); sleep 0.1; done
	done
	same "open files after three more times" "$(ls /proc/$run/fd | wc -l)" "$files"
	same "losses" "$(grep -c 'went away' run.log)" 4
	stop
	unplug $tracker $mouse
	same "set up again" "$(grep '^W' dev2.log | head -n 1)" "W 1 0103"
	show run-replug.txt run.log
	ok "went away from hidraw0, came back as hidraw1, and three times more; $files descriptors before and after"
}

case_no_marker() {
	ini
	plug --layout nomarker --name "Custom sensor" --log dev.log
	wait_node
	headpipe probe >probe.txt
	same "exit status of probe" $? 3
	expect probe.txt 'no #AndroidHeadTracker# marker' "probe says so"
	headpipe doctor >doctor.txt
	same "exit status of doctor" $? 3
	expect doctor.txt '^wrong  marker' "doctor names the marker"
	start live.ini
	wait_for run.log 'no #AndroidHeadTracker# marker; to use it all the same, name it: vendor = 0x1209, product = 0x0001'
	stop
	same "writes" "$(grep -c '^W' dev.log)" 0
	ini "vendor = 0x1209
product = 1"
	start live.ini
	wait_for run.log 'Custom sensor connected'
	stop
	out
	ok "not touched without its marker, used when the ini names it"
}

case_silent() {
	ini "first_sample_timeout = 500ms"
	plug --setups 2 --log dev.log
	start live.ini
	wait_for run.log 'is open but sends nothing; setting it up again'
	wait_for run.log 'connected, '
	stop
	out
	same "writes until it streams" "$(sed -n '/^S/q;/^W/p' dev.log | wc -l)" 2
	ini "first_sample_timeout = 300ms"
	plug --setups 5 --log dev.log
	start live.ini
	wait_for run.log 'cannot be used now: it sends nothing; trying again'
	wait_for run.log 'connected, '
	stop
	out
	same "writes until it streams" "$(sed -n '/^S/q;/^W/p' dev.log | wc -l)" 5
	ok "streams after the second set-up; after the fifth, having been closed and opened again"
}

# The node stays and the device forgets its settings, as after a reconnect since BlueZ 5.73.
case_forget() {
	ini "first_sample_timeout = 500ms
[output tape]
use = session
path = forget.mcap"
	plug --log dev.log
	start live.ini
	wait_for run.log 'connected, '
	for i in 1 2 3; do
		kill -USR1 $tracker
		n=0
		until [ "$(grep -c 'has gone silent; setting it up again' run.log)" -ge $i ] || [ $n -gt 400 ]; do n=$((n + 1)); sleep 0.1; done
		sent=$(grep -c '^S' dev.log)
		n=0
		until [ "$(grep -c '^S' dev.log)" -gt $((sent + 20)) ] || [ $n -gt 400 ]; do n=$((n + 1)); sleep 0.1; done
	done
	stop
	out
	same "log lines" "$(grep -c 'has gone silent' run.log)" 3
	same "lost" "$(grep -c 'went away' run.log)" 0
	headpipe info forget.mcap --events >events.txt
	same "gaps in the recording" "$(grep -c gap events.txt)" 3
	ok "set up again three times, each with a line and a gap in the recording"
}

# Sends and does not move, as a headset that lies on the table with a filter in it, or a driver that repeats itself.
case_constant() {
	named='sends, but its pose has been the same to the last bit for 5 s'
	ini
	plug --name "Sony WH-1000XM5" --still --log dev.log
	wait_node
	headpipe doctor --for 1 live.ini >doctor.txt
	same "exit status of doctor" $? 0
	expect doctor.txt '^ok     start-up ' "set up"
	expect doctor.txt '^note   values .*constant' "doctor"
	start live.ini
	wait_for run.log "input hid: $named"
	sent=$(grep -c '^S' dev.log)
	wait_for run.log 'connected, '
	kill -USR2 $tracker
	wait_for run.log 'input hid: moves again'
	same "named while it stood still" "$(grep -c "$named" run.log)" 1
	kill -USR2 $tracker
	n=0
	until [ "$(grep -c "$named" run.log)" = 2 ] || [ $n -gt 400 ]; do n=$((n + 1)); sleep 0.1; done
	stop
	out
	same "named again" "$(grep -c "$named" run.log)" 2
	same "moved once" "$(grep -c 'moves again' run.log)" 1
	show run-constant.txt run.log
	# what arrives nowhere: no sample, another sentence
	plug --still --nogyro --log dev.log
	start live.ini
	wait_for run.log "$named"
	stop
	out
	[ "$sent" -gt 300 ] || fail "named after $sent reports, which are less than 5 s"
	ok "named by doctor; named by run after 5 s and $sent reports, once, and again after it had moved"
}

# A joystick through the kernel's uinput, and what another program reads from it.
axes() { # the last value that each axis was told to have
	awk '/^Event: .*type 3 / { gsub(/[(),]/, ""); at[$9] = $11 } END { print at["ABS_RX"], at["ABS_RY"], at["ABS_RZ"], at["ABS_X"],
		at["ABS_Y"], at["ABS_Z"] }' events.txt
}
at_rest() { # what axes
	n=0
	until [ "$(axes)" = "$2" ] || [ $n -gt 200 ]; do n=$((n + 1)); sleep 0.1; done
	same "$1" "$(axes)" "$2"
}
case_uinput() {
	mkfifo poses
	cat >joystick.ini <<'END'
[input head]
use = exec
command = cat poses
[output joystick]
use = uinput
title = "head of the test"
on_error = drop
END
	start joystick.ini
	exec 9>poses
	wait_for run.log '/dev/uinput: is not there: the kernel module is not loaded'
	insmod /lib/modules/uinput.ko
	# it is tried again, and then it is there
	wait_for run.log 'joystick "head of the test" is /dev/input/event[0-9]+'
	node=$(sed -n 's,.* is \(/dev/input/event[0-9]*\).*,\1,p' run.log)
	udevadm test-builtin input_id /sys/class/input/${node##*/} >id.txt 2>&1
	expect id.txt 'ID_INPUT_JOYSTICK=1' "udev takes it for a joystick"
	evtest "$node" >events.txt 2>&1 &
	reader=$!
	wait_for events.txt '^Testing'
	expect events.txt 'Input device name: "head of the test"' "name"
	same "axes" "$(sed -n 's/^    Event code [0-9]* (ABS_\(.*\))$/\1/p' events.txt | sort | xargs)" "RX RY RZ X Y Z"
	same "ranges" "$(grep -c 'Min *-32767' events.txt) $(grep -c 'Max *32767' events.txt)" "6 6"
	# inside: yaw left, pitch down, roll right, x front, y left, z up; the joystick: right, up, right; right, up, back.
	# 20/180, 30/90, 40/180, 25/100, 50/100 and 10/100 of 32767
	echo '{"yaw":-20,"pitch":-30,"roll":40,"pos":[-10,-25,50]}' >&9
	at_rest "right, up, right; right, up, back" "3641 10922 7282 8192 16384 3277"
	echo '{"yaw":90,"pitch":45,"roll":-9,"pos":[20,30,-40]}' >&9
	at_rest "left, down, left; left, down, front" "-16384 -16384 -1638 -9830 -13107 -6553"
	echo '{"yaw":-135,"pitch":-80,"roll":0,"pos":[-300,300,0]}' >&9
	at_rest "far to the right; the ends of the axes" "24575 29126 0 -32767 0 32767"
	# one axis moves: one event and the mark behind it
	before=$(grep -c '^Event: .*type 3 ' events.txt)
	echo '{"yaw":-135,"pitch":-70,"roll":0,"pos":[-300,300,0]}' >&9
	at_rest "only the pitch" "24575 25485 0 -32767 0 32767"
	same "events for one axis" $(($(grep -c '^Event: .*type 3 ' events.txt) - before)) 1
	# at the end it is centred, then it is gone
	stop
	exec 9>&-
	wait $reader
	[ ! -e "$node" ] || fail "$node is still there"
	same "centred at the end" "$(axes)" "0 0 0 0 0 0"
	# an ordinary user, before the rule and with it
	sed -i 's/^on_error.*//; s/^command.*/command = echo "{}"; sleep 60/' joystick.ini
	as_user "exec headpipe run joystick.ini" >run.out 2>run.log
	expect run.log 'no permission: install conf/71-headpipe-uinput.rules' "an ordinary user"
	cp /conf/71-headpipe-uinput.rules /etc/udev/rules.d/
	udev_start
	udevadm control --reload && udevadm trigger --action=add /dev/uinput
	udevadm settle
	as_user "exec headpipe run joystick.ini" >run.out 2>run.log &
	run=$!
	wait_for run.log 'joystick "head of the test" is /dev/input/event[0-9]+'
	kill -INT $(pidof headpipe)
	wait $run
	udev_stop
	ok "comes when the module does; a joystick for udev; evtest reads every axis as documented; centred at the end; a user needs the rule"
}

case_refuses() {
	ini
	plug --refuse --always --log dev.log
	start live.ini
	wait_for run.log 'refused the start-up settings \(feature report 1: .*\)'
	wait_for run.log 'connected, '
	stop
	out
	plug --mute --log dev.log
	start live.ini
	wait_for run.log 'does not let its feature reports be read; using it all the same'
	wait_for run.log 'connected, '
	stop
	out
	same "settings from zero" "$(grep '^W' dev.log | head -n 1)" "W 1 0103"
	ok "a device that refuses writes, and one that refuses reads, stream all the same, with a warning"
}

case_dump() {
	plug --name "Sony WH-1000XM5" --log dev.log
	wait_node
	headpipe dump --hid-recorder --for 2 >rec.hid
	same "exit status" $? 0
	expect rec.hid '^N: Sony WH-1000XM5$' "name"
	expect rec.hid '^I: 5 1209 0001$' "bus and numbers"
	# byte for byte what the device sent
	grep '^E:' rec.hid | cut -d' ' -f4- | tr -d ' ' >got.txt
	grep '^S' dev.log | cut -d' ' -f3 | head -n "$(wc -l <got.txt)" >want.txt
	cmp got.txt want.txt || fail "dump and device differ"
	n=$(wc -l <got.txt)
	[ "$n" -gt 50 ] || fail "only $n reports"
	cat >replay.ini <<END
[input replay]
path = rec.hid
speed = 0
[output null]
END
	headpipe run replay.ini >run.out 2>run.log
	same "exit status of the replay" $? 0
	expect run.log "input replay: $n samples" "replay reads all"
	headpipe dump --for 0.3 >decoded.txt
	expect decoded.txt ' rotation [+-] *[0-9.]+ .* gyro .* reset 0' "decoded"
	headpipe dump --raw --for 0.3 >raw.txt
	expect raw.txt '^ +0\.[0-9]{6}  01 ' "raw"
	out
	head -n 6 decoded.txt >d.txt
	show dump-decoded.txt d.txt
	head -n 8 rec.hid | cut -c1-100 >d.txt
	show dump-recorder.txt d.txt
	ok "$n reports as hid-recorder text equal the device's own log; replay reads them all"
}

# What the device sends, live, and the same reports replayed from the recording of that run: the same datagrams.
bytes_equal() { # options of virtual_tracker
	cat >live.ini <<END
[input hid]
[output tape]
use = session
path = tape.mcap
[filter orientation]
[output opentrack_udp]
[output json_udp]
END
	cat >replay.ini <<END
[input replay]
path = tape.mcap
speed = 0
[filter orientation]
[output opentrack_udp]
[output json_udp]
END
	rm -f tape.mcap
	plug --log dev.log "$@"
	udp_catch live.txt 4242 4243 &
	catch=$!
	start live.ini
	wait_for run.log 'connected, '
	sleep 1
	kill -USR1 $run
	sleep 2
	out
	wait_for run.log 'went away'
	plug --log dev2.log "$@"
	sleep 2
	out
	t=0
	until [ "$(grep -c 'went away' run.log)" = 2 ] || [ $t -gt 100 ]; do t=$((t + 1)); sleep 0.1; done
	stop
	unplug $catch
	udp_catch again.txt 4242 4243 &
	catch=$!
	sleep 0.2
	headpipe run replay.ini >replay.out 2>replay.log
	same "exit status of the replay" $? 0
	sleep 0.2
	unplug $catch
	for port in 4242 4243; do
		grep "^$port " live.txt >a.txt
		grep "^$port " again.txt >b.txt
		cmp a.txt b.txt || fail "port $port: $(wc -l <a.txt) datagrams live, $(wc -l <b.txt) from the replay"
		[ "$(wc -l <a.txt)" -gt 200 ] || fail "only $(wc -l <a.txt) datagrams"
	done
	n=$(wc -l <a.txt) reports=$(grep -h '^S' dev.log dev2.log | wc -l)
	# what is still queued in the kernel at an unplug is lost to every reader
	[ "$n" -le "$reports" ] && [ "$n" -ge $((reports - 20)) ] || fail "$reports reports sent, $n poses"
}
case_bytes() {
	bytes_equal
	bluetooth=$n
	bytes_equal --bus usb --nogyro
	ok "$bluetooth and $n poses, Bluetooth and USB, with a recenter and an unplug: both UDP streams equal the replay's, byte for byte"
}

case_healthy() {
	ini
	plug --name "Sony WH-1000XM5" --vendor 054c --product 0df0
	wait_node
	udp_catch udp.txt 4242 4243 &
	catch=$!
	headpipe probe >probe.txt
	same "exit status of probe" $? 0
	headpipe doctor --for 1.5 live.ini >doctor.txt
	same "exit status of doctor" $? 0
	for link in ini device driver node descriptor marker start-up values gyro; do
		expect doctor.txt "^ok     $link" "$link"
	done
	# a busy test machine may make gaps that are worth a note
	expect doctor.txt '^(ok|note)  * reports  *[0-9]+ reports/s' "reports"
	same "outputs heard" "$(grep -c '^ok     output .*a program listens' doctor.txt)" 2
	expect_not doctor.txt '^wrong' "nothing to complain about"
	headpipe doctor --json --for 0.5 live.ini >doctor.json
	expect doctor.json '"state": "ok"' "JSON"
	start live.ini
	sleep 2
	stop
	show probe-healthy.txt probe.txt
	show doctor-healthy.txt doctor.txt
	show run-healthy.txt run.log
	kill $catch
	out
	plug --still --nogyro
	wait_node
	headpipe doctor --for 1 live.ini >doctor.txt
	same "exit status of doctor" $? 0
	expect doctor.txt '^note   values .*constant' "constant"
	expect doctor.txt '^note   gyro .*always zero' "gyro"
	same "nobody listens" "$(grep -c '^note   output .*nobody listens' doctor.txt)" 2
	show doctor-still.txt doctor.txt
	out
	ok "probe, doctor and run of a healthy device; then one that lies still, without gyro, and nobody listening"
}

case_nothing() {
	ini
	headpipe probe >probe.txt
	same "exit status of probe" $? 3
	headpipe doctor live.ini >doctor.txt
	same "exit status of doctor" $? 3
	expect doctor.txt '^wrong  device +no head tracker among 0 HID devices' "doctor"
	start live.ini
	wait_for run.log 'no head tracker found; waiting for one'
	sleep 1
	for t in /proc/$run/task/*; do grep ctxt $t/status; done >before.txt
	ticks() { awk '{print $14 + $15}' /proc/$run/stat; }
	cpu=$(ticks)
	sleep 5
	for t in /proc/$run/task/*; do grep ctxt $t/status; done >after.txt
	cmp before.txt after.txt || { fail "it woke up while nothing happened"; diff before.txt after.txt | sed 's/^/    | /'; }
	cpu=$(($(ticks) - cpu))
	same "CPU ticks in 5 s" $cpu 0
	stop
	show probe-nothing.txt probe.txt
	show doctor-nothing.txt doctor.txt
	show run-nothing.txt run.log
	ok "says so and waits: no thread wakes up, no CPU tick in 5 s"
}

case_permission() {
	ini
	plug --name "Sony WH-1000XM5" --vendor 054c --product 0df0
	wait_node
	as_user "headpipe probe" >probe.txt
	same "exit status of probe" $? 4
	expect probe.txt 'sudo tee /etc/udev/rules.d/70-headpipe.rules' "the command"
	as_user "headpipe doctor live.ini" >doctor.txt
	same "exit status of doctor" $? 4
	expect doctor.txt '^wrong  node .*/dev/hidraw0: permission denied; the udev rule 70-headpipe.rules is missing' "doctor"
	as_user "exec headpipe run live.ini" >run.out 2>run.log &
	run=$!
	wait_for run.log 'permission denied; `headpipe doctor` prints the command'
	show probe-permission.txt probe.txt
	show doctor-permission.txt doctor.txt
	cp run.log run-permission.txt
	# the cure, as printed
	headpipe udev rule | tee /etc/udev/rules.d/70-headpipe.rules >/dev/null
	udevadm verify /etc/udev/rules.d/70-headpipe.rules >verify.txt 2>&1 || grep -q 'Unknown command' verify.txt ||
		fail "udevadm verify: $(cat verify.txt)"
	udev_start
	udevadm control --reload && udevadm trigger --action=add --subsystem-match=hidraw
	udevadm settle
	# the running program notices by itself
	wait_for run.log 'connected, '
	cat run.log >run-permission.txt
	show run-permission.txt run-permission.txt
	kill -INT $(pidof headpipe)
	wait $run
	as_user "headpipe probe" >probe.txt
	same "exit status of probe with the rule" $? 0
	out
	wait_no_node
	# plugged in later, and a device that is no head tracker stays closed
	virtual_tracker --layout mouse --uniq m --product 9 &
	mouse=$!
	wait_node 0
	plug --name "Other Maker" --vendor 1234 --product 5678
	wait_node 1
	udevadm settle
	as_user "exec 3<>/dev/hidraw1" || fail "no access to a head tracker of another maker"
	as_user "exec 3<>/dev/hidraw0" 2>/dev/null && fail "access to a mouse"
	udevadm test /sys/class/hidraw/hidraw1 >test.txt 2>&1
	expect test.txt 'uaccess' "udevadm test"
	unplug $tracker $mouse
	udev_stop
	ok "an ordinary user is told the command; with the rule the running program goes on by itself; a mouse stays closed"
}

case_sensor_hub() {
	ini
	insmod /lib/modules/hid-sensor-hub.ko
	plug --name "Sony WH-1000XM5" --vendor 054c --product 0df0
	n=0
	until ls -d /sys/bus/hid/devices/*/driver >/dev/null 2>&1 || [ $n -gt 100 ]; do n=$((n + 1)); sleep 0.05; done
	if [ -e /dev/hidraw0 ]; then
		out
		ok "this kernel leaves a node with hid-sensor-hub too; nothing to cure"
		return
	fi
	headpipe probe >probe.txt
	same "exit status of probe" $? 3
	expect probe.txt 'held by hid-sensor-hub' "probe"
	as_user "headpipe doctor live.ini" >doctor.txt
	same "exit status of doctor" $? 1
	expect doctor.txt '^wrong  driver .*hid-sensor-hub holds' "doctor"
	start live.ini
	wait_for run.log 'Sony WH-1000XM5 is connected, but the kernel made no device node \(driver: hid-sensor-hub\)'
	show probe-sensor-hub.txt probe.txt
	show doctor-sensor-hub.txt doctor.txt
	show run-sensor-hub.txt run.log
	# the printed cure, to the letter
	cure=$(sed -n 's/^ *-> sudo //p' doctor.txt | head -n 1)
	eval "$cure" || fail "the cure does not work: $cure"
	wait_for run.log 'connected, '
	stop
	out
	echo 0 >/sys/module/hid/parameters/ignore_special_drivers
	rmmod hid-sensor-hub
	ok "doctor names hid-sensor-hub; its command frees the device and the running program goes on"
}

case_suspend() {
	[ -e /sys/class/rtc/rtc0/wakealarm ] && grep -q mem /sys/power/state || {
		ok "skipped: this machine cannot sleep"
		return
	}
	# longer than a busy machine takes to wake every program
	ini "first_sample_timeout = 3s"
	plug --log dev.log
	start live.ini
	wait_for run.log 'connected, '
	# the device loses its settings in the machine's sleep
	kill -USR1 $tracker
	writes=$(grep -c '^W' dev.log)
	echo +3 >/sys/class/rtc/rtc0/wakealarm
	echo mem >/sys/power/state || fail "no sleep"
	wait_for run.log 'setting it up again'
	n=0
	until [ "$(grep -c '^W' dev.log)" -gt "$writes" ] || [ $n -gt 100 ]; do n=$((n + 1)); sleep 0.1; done
	sent=$(grep -c '^S' dev.log)
	n=0
	until [ "$(grep -c '^S' dev.log)" -gt "$((sent + 20))" ] || [ $n -gt 100 ]; do n=$((n + 1)); sleep 0.1; done
	[ "$(grep -c '^S' dev.log)" -gt "$sent" ] || fail "it does not stream after the sleep"
	expect_not run.log 'went away' "no reconnect needed"
	stop
	out
	dmesg | grep -q 'PM: suspend exit' || fail "the machine did not sleep"
	ok "after a real sleep of the machine a device that lost its settings is set up again and streams"
}

cases="bluetooth usb interval protocol2 without_ids replug no_marker silent forget constant refuses dump bytes healthy nothing permission uinput suspend sensor_hub"
[ ! -e /only ] || cases=$(cat /only)
for c in $cases; do run_case "$c"; done
exit $failed

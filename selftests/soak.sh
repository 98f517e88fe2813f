#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Everything at once, for a while: CPUs go and come, the module comes and goes,
# modes, sizes, clocks, events and triggers change, rings are mapped, traces are
# read and recorded, all under load. What is read must be sound each time; a
# kernel that checks itself says the rest.
#
#	soak.sh [SECONDS]	default 20

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

seconds=${1:-20}
dir=$(mktemp -d)
touch "$dir/on"

# One line in a file of its own for each time something was done.
did()
{
	echo >>"$dir/did-$1"
}

count()
{
	wc -l <"$dir/did-$1" 2>/dev/null || echo 0
}

# sound FILE: note down what is wrong with a trace
sound()
{
	vitrine check "$1" >"$1.log" || { cp "$1" "$OUT" 2>/dev/null; cat "$1.log" >>"$dir/bad"; }
}

go_and_come()
{
	local online

	while [ -e "$dir/on" ]; do
		for online in /sys/devices/system/cpu/cpu[1-9]*/online; do
			echo 0 >"$online" && echo 1 >"$online" && did hotplug
		done
	done
}

# The module may be away, or have no memory for a copy: no trace then.
read_traces()
{
	while [ -e "$dir/on" ]; do
		cat "$TRACE/trace.fxt" >"$dir/read.fxt" 2>/dev/null || { sleep 0.01; continue; }
		sound "$dir/read.fxt"
		did read
	done
}

record_traces()
{
	while [ -e "$dir/on" ]; do
		vitrine record -o "$dir/record.fxt" -t 0.5 2>/dev/null || { sleep 0.01; continue; }
		sound "$dir/record.fxt"
		did record
	done
}

look_at_trees()
{
	while [ -e "$dir/on" ]; do
		vitrine show vitrine 2>/dev/null | grep -q frozen || { sleep 0.01; continue; }
		did look
	done
}

# one_of WORD...
one_of()
{
	shift $((RANDOM % $#))
	echo "$1"
}

# change: one setting; not all sizes go with each other
change()
{
	case $((RANDOM % 7)) in
	0)	one_of circular oneshot streaming >"$TRACE/mode" ;;
	1)	one_of 8 16 64 256 >"$TRACE/buffer_kb" ;;
	2)	one_of 4 8 32 >"$TRACE/subbuf_kb" ;;
	3)	one_of local tsc mono boot >"$TRACE/clock" ;;
	4)	one_of "+sched +irq +timer" "-sched -irq -timer" "+syscall:cpus=0" "-syscall" \
			"+printk +block +power +module" "-block -power" >"$TRACE/events" ;;
	5)	one_of now none "latency_us=500 panic" "event=irq:softirq" hung_task >"$TRACE/trigger" ;;
	6)	one_of 0 1 >"$TRACE/enable" ;;
	esac 2>/dev/null && did change
}

# Somebody may have a file open just then.
unload_soon()
{
	local tries

	for ((tries = 0; tries < 1000; tries++)); do
		rmmod vitrine 2>/dev/null && return
		sleep 0.01
	done
	echo "the module does not go" >>"$dir/bad"
}

load_and_change()
{
	local i

	while [ $SECONDS -lt "$seconds" ]; do
		load trees=all "trigger=$(one_of none panic)" || { echo "the module does not load" >>"$dir/bad"; break; }
		insmod "$VITRINE_MODULES/events.ko"
		echo +sample >"$TRACE/events"
		for ((i = 0; i < 20; i++)); do
			change
			echo all >/sys/module/events/parameters/run
		done
		echo 4 >"$TRACE/subbuf_kb"
		"$VITRINE_SELFTESTS/map_hold" "$TRACE/cpu0" "$TRACE/buffer_kb" 32 && did map
		rmmod events
		unload_soon
		did load
	done
}

check "a load" sh -c "'$WORKLOAD' crowd 20 400 | grep switches"
"$WORKLOAD" crowd 20 1000000000 >/dev/null 2>&1 &
crowd=$!
SECONDS=0
go_and_come 2>/dev/null &
loops=$!
for loop in read_traces record_traces look_at_trees; do
	$loop &
	loops+=" $!"
done
load_and_change 2>"$dir/errors"
rm "$dir/on"
# shellcheck disable=SC2086	# words
wait $loops
kill $crowd

touch "$dir/bad"
sed 's/^/# /' "$dir/bad" | head -n 40
sort "$dir/errors" | uniq -c | sort -rn | head -n 5 | sed 's/^/# /'
check "every trace was sound, the module came and went" test ! -s "$dir/bad"
for what in load change map read record look hotplug; do
	echo "# $what: $(count $what) times"
	check "$what: at least once" test "$(count $what)" -ge 1
done
rm -r "$dir"

finish

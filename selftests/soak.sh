#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Stress test: CPUs go offline and online, the module is loaded and unloaded, modes,
# sizes, clocks, events and triggers change, rings are mapped, traces are read and
# recorded, all at the same time and under load. Each trace must be valid; a kernel with
# sanitizers reports everything else.
#
#	soak.sh [SECONDS]	default 20; longer until each operation was done once

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit
disruptive "CPUs go offline and online continuously"

seconds=${1:-20}
dir=$(mktemp -d)
touch "$dir/on"

# Write a line to a file per kind of operation, to count the operations.
did()
{
	echo >>"$dir/did-$1"
}

count()
{
	wc -l <"$dir/did-$1" 2>/dev/null || echo 0
}

# sound FILE: log the faults of a trace
sound()
{
	vitrine check "$1" >"$1.log" || { cp "$1" "$OUT" 2>/dev/null; cat "$1.log" >>"$dir/bad"; }
}

# again_and_again COMMAND: until the test ends
again_and_again()
{
	while [ -e "$dir/on" ]; do
		"$1" || sleep 0.01
	done
}

# Registering a probe patches code and waits for CPU hotplug, so there are pauses; without
# them hardly anything else would run.
go_and_come()
{
	local online

	for online in /sys/devices/system/cpu/cpu[1-9]*/online; do
		echo 0 >"$online" && echo 1 >"$online" && did hotplug
		sleep 0.$((RANDOM % 10))
	done
}

# Without the module, or without memory for a copy, there is no trace.
read_trace()
{
	cat "$TRACE/trace.fxt" >"$dir/read.fxt" 2>/dev/null || return
	sound "$dir/read.fxt"
	did read
}

# A recording keeps files open for long: not while the module is about to be unloaded.
record_trace()
{
	[ ! -e "$dir/going" ] && vitrine record -o "$dir/record.fxt" -t 0.2 2>/dev/null || return
	sound "$dir/record.fxt"
	did record
}

look_at_trees()
{
	vitrine show vitrine 2>/dev/null | grep -q frozen && did look
}

# one_of WORD...: set "word" to a random one
one_of()
{
	shift $((RANDOM % $#))
	word=$1
}

# set_one SETTING WORD...: write a random word to a setting
set_one()
{
	one_of "${@:2}"
	echo "$word" >"$TRACE/$1"
}

# change: change a random setting; some combinations of sizes are invalid
change()
{
	case $((RANDOM % 8)) in
	0)	set_one mode circular oneshot streaming ;;
	1)	set_one buffer_kb 8 16 64 256 ;;
	2)	set_one subbuf_kb 4 8 32 ;;
	3)	set_one clock local counter mono boot ;;
	4)	set_one events "+sched +irq +timer" "-sched -irq -timer" "+syscall:cpus=0" "-syscall" \
			"+printk +block +power +module" "-block -power" ;;
	5)	set_one trigger now none "latency_us=500 panic" "event=irq:softirq" hung_task ;;
	6)	set_one enable 0 1 ;;
	7)	set_one stacks none blocked_us=0 "blocked_us=100 kthreads user" ;;
	esac 2>/dev/null && did change
}

come()
{
	one_of none panic
	load trees=all "trigger=$word" || { echo "the module does not load" >>"$dir/bad"; return 1; }
}

# A file may be open at that moment.
go()
{
	touch "$dir/going"
	if until_true rmmod vitrine 2>/dev/null; then
		rm "$dir/going"
		did load
		return
	fi
	echo "the module does not go" >>"$dir/bad"
	return 1
}

# stay: another module records events while settings change and a ring is mapped
stay()
{
	local i

	insmod "$VITRINE_MODULES/events.ko"
	set_to events +sample
	for ((i = 0; i < 10; i++)); do
		change
		echo all >/sys/module/events/parameters/run
	done
	set_to subbuf_kb 4
	"$VITRINE_SELFTESTS/map_hold" "$TRACE/cpu0" "$TRACE/buffer_kb" 32 && did map
	rmmod events
}

# all_did: each operation was done at least once
all_did()
{
	local what

	for what in load change map read record look hotplug; do
		[ -e "$dir/did-$what" ] || return
	done
}

# Mostly the module is unloaded as soon as it is loaded, with operations in progress; each
# eighth time it stays.
load_and_change()
{
	local round

	for ((round = 0; ; round++)); do
		if ((SECONDS >= seconds + 600)) || { ((SECONDS >= seconds)) && all_did; }; then
			break
		fi
		come || break
		if ((round % 8 == 0)); then
			stay
		else
			change
		fi
		go || break
	done
}

check "a load" sh -c "'$WORKLOAD' crowd 20 400 | grep switches"
# Uses all idle time, at low priority.
nice "$WORKLOAD" crowd 20 1000000000 >/dev/null 2>&1 &
crowd=$!
SECONDS=0
again_and_again go_and_come 2>/dev/null &
loops=$!
for loop in read_trace record_trace look_at_trees; do
	again_and_again $loop &
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

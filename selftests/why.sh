#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "vitrine record --why", "why" and "flame" on two known stories: a thread
# waits for a mutex whose holder syncs a slow disk, and a real-time thread starves another.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

disk_ms=40	# that the disk takes to complete a request
starve_ms=200	# that the real-time thread runs

# record WORKLOAD...: record it, explain its waits and draw them
record()
{
	record_command "$WORKLOAD" "$@"
}

# record_command COMMAND...
record_command()
{
	vitrine record --why=10us -o "$dir/trace.fxt" -- "$@" >"$dir/said" || return
	vitrine why "$dir/trace.fxt" >"$dir/why.text" || return
	vitrine why --json "$dir/trace.fxt" >"$dir/why.json" || return
	vitrine flame "$dir/trace.fxt" -o "$dir/why.folded"
}

# says FILTER: the jq filter is true of waits of one kind
says()
{
	jq -e --argjson disk_ns $((disk_ms * 1000000)) --argjson starve_ns $((starve_ms * 1000000)) \
		--argjson fsync_ns "${fsync_ns:-0}" "[.waits[] | select($1)] | length > 0" "$dir/why.json" ||
		{ jq -c '.waits[] | del(.longest.stack)' "$dir/why.json"; return 1; }
}

# prints PATTERN...: a line of the text has all of these patterns
prints()
{
	has_line "$dir/why.text" "$@"
}

# nothing_is_on: what --why switches on is off
nothing_is_on()
{
	fails grep -E '^\+(sched|irq|block)' "$TRACE/events" && grep -qx none "$TRACE/stacks"
}

# folded PATTERN MS: stacks that match it took at least as long
folded()
{
	grep -E "$1" "$dir/why.folded" |
		awk -v least=$(($2 * 1000)) '{ sum += $NF } END { print sum " us"; exit !(sum >= least) }' ||
		{ cat "$dir/why.folded"; return 1; }
}

# still: record a process that is blocked when the recording ends; set $sleeper to its id
still()
{
	record_command bash -c 'sleep 1000 >/dev/null & until [[ $(<"/proc/$!/wchan") = *nanosleep ]]; do sleep 0.01; done
		sleep 0.1; echo sleeper $!'
	read -r _ sleeper <"$dir/said"
	kill "$sleeper"
}

modprobe null_blk queue_mode=2 irqmode=2 completion_nsec=$((disk_ms * 1000000)) ||
	skip "this kernel has no null_blk"
load
has_stacks=1
[ "$(value vitrine '.root.missing.stacks.stack // ""')" = "" ] || has_stacks=

# ---- a thread that is still blocked ---------------------------------------------------

still
check "record a process that is still blocked at the end" test -n "$sleeper"
check "the thread that is still blocked naps" \
	says ".longest.thread.tid == $sleeper and .kind == \"sleep\" and .sum_ns >= 10000000"
check "the thread that is still blocked is in the flame graph" folded "sleep.*;still blocked " 10

# ---- a lock whose holder syncs a disk -----------------------------------------------

# locked: record it until the holder is blocked in fsync about as long as the disk takes. On a
# busy machine, the holder may begin to wait late.
locked()
{
	record lock /dev/nullb0 || return
	read -r _ _ _ _ _ _ _ fsync_ns <"$dir/said"
	says '.longest.thread.name == "lock-waiter" and .kind == "lock" and .sum_ns >= $disk_ns * 0.9'
}

check "record a thread that waits for a lock" retried locked
read -r _ _ _ _ _ _ _ fsync_ns <"$dir/said"
check "the trace of the waiter is sound" vitrine check "$dir/trace.fxt"
check "the categories and stacks are off after the recording" nothing_is_on
check "the holder of the lock woke the waiter" says \
	'.longest.thread.name == "lock-waiter" and .kind == "lock" and (.ended_by[0].group | endswith("lock-holder"))'
check "the holder waited for the disk, for as long as the disk took" says \
	'(.group | endswith("lock-holder")) and .kind == "disk" and .what == "a disk (nullb0)" and
	 .longest.waited_ns >= $disk_ns * 0.9 and .longest.waited_ns <= $fsync_ns'
check "the waiter waited for the disk of the holder" says \
	'.longest.thread.name == "lock-waiter" and .kind == "lock" and (.longest.path[0] |
	 .thread.name == "lock-holder" and .kind == "disk" and .sum_ns >= $disk_ns * 0.9)'
check "the starter woke the waiter through a pipe" says \
	'(.group | endswith("lock-waiter")) and .what == "a pipe" and (.ended_by[0].group | endswith("lock-starter"))'
check "in words: the waiter" prints "lock-waiter: .* waiting for a (lock|mutex)"
check "in words: the disk" prints "lock-holder: .* waiting for a disk \\(nullb0\\)"
if [ -n "$has_stacks" ]; then
	check "the stack of the holder leads to the disk" says \
		'(.group | endswith("lock-holder")) and .kind == "disk" and
		 (.longest.stack | index("blkdev_fsync") != null and any(test("wait")))'
	check "the flame graph has the wait of the holder, with its length" \
		folded '^workload;lock-holder;blocked;.*;blkdev_fsync;' $((disk_ms * 9 / 10))
	check "the flame graph has the user stack of the holder before the kernel stack" \
		folded '^workload;lock-holder;blocked;(.*;)?(workload\+0x[0-9a-f]+|[^;]* \[workload\]);.*;blkdev_fsync;' \
		$((disk_ms * 9 / 10))
fi

# ---- a real-time thread that starves another ----------------------------------------

# A machine so busy that the kernel measures the rate of its counter wrongly has local clocks that
# are slow, so the trace tells shorter times than passed.

check "record a thread that is starved" record starve $starve_ms
check "the starved thread waited for a CPU behind the real-time thread all the time" says \
	'(.group | endswith("starve-victim")) and .kind == "cpu" and .sum_ns >= $starve_ns / 2 and
	 .sum_ns as $sum_ns | .behind[0] |
	 (.group | endswith("starve-hog")) and .priority == 98 and .sum_ns >= $sum_ns * 0.9'
check "in words" prints "behind [^ ]*starve-hog \\([0-9]+ %, real-time priority 1\\)"
check "the flame graph has it" \
	folded '^[^;]*;starve-victim;runnable;.*behind starve-hog' $((starve_ms / 2))

# ---- record and answer

check "record a command, and answer" bash -c "vitrine why -- '$WORKLOAD' lock /dev/nullb0 >'$dir/why.text'"
check "the answer is about the command" prints "^workload:.* took .* from exec to exit"
check "another recorder meanwhile" bash -c "(sleep 0.3; vitrine record -o '$dir/other.fxt' -- sleep 0.2) &
	vitrine why -- '$WORKLOAD' lock /dev/nullb0 >'$dir/why.text'; wait"
check "the answer is about the command of this recorder" prints "^workload:.* took .* from exec to exit"
vitrine why "$dir/other.fxt" >"$dir/why.text"
check "that of the other trace is about the command of the other one" prints "^sleep:.* took .* from exec to exit"
ln -s "$(command -v vitrine)" "$dir/another"
"$dir/another" why -- sleep 0.2 >"$dir/why.text"
check "the name of the recorder does not matter" prints "^sleep:.* took .* from exec to exit"
unshare -pf --mount-proc vitrine why -- sleep 0.2 >"$dir/why.text"
check "a recorder in a PID namespace" prints "^sleep:.* took .* from exec to exit"
echo +sched >"$TRACE/events"
vitrine record -o "$dir/other.fxt" -- sleep 0.2
vitrine why --last 5s >"$dir/why.text"
echo -sched >"$TRACE/events"
check "the flight recorder has no command" fails prints " from exec "
check "its status is that of the command" bash -c "vitrine why -- sh -c 'exit 7'; test \$? = 7"
check "for some time" bash -c "vitrine why -p '$$' --for 200ms >'$dir/why.text'"

finish

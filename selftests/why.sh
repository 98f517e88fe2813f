#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "vitrine record --why", "latency --why" and "flame" on two known stories: a thread
# waits for a mutex whose holder syncs a slow disk, and a real-time thread starves another.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

disk_ms=40	# that the disk takes to complete a request
starve_ms=200	# that the real-time thread runs

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# record WORKLOAD...: record it, explain its waits and draw them
record()
{
	record_command "$WORKLOAD" "$@"
}

# record_command COMMAND...
record_command()
{
	vitrine record --why=10us -o "$dir/trace.fxt" -- "$@" >"$dir/said" || return
	vitrine latency --why -n 1000 "$dir/trace.fxt" >"$dir/why.text" || return
	vitrine latency --why -n 1000 --json "$dir/trace.fxt" >"$dir/why.json" || return
	vitrine flame "$dir/trace.fxt" -o "$dir/why.folded"
}

# says FILTER: the jq filter is true of one of the longest waits
says()
{
	jq -e --argjson disk_ns $((disk_ms * 1000000)) --argjson starve_ns $((starve_ms * 1000000)) \
		--argjson fsync_ns "${fsync_ns:-0}" "[.longest[] | select($1)] | length > 0" "$dir/why.json" ||
		{ jq -c '.longest[] | .chain |= map(del(.stack))' "$dir/why.json"; return 1; }
}

# prints PATTERN...: a line of the text has all of these patterns
prints()
{
	local lines

	lines=$(<"$dir/why.text")
	for pattern; do
		lines=$(grep -E -- "$pattern" <<<"$lines") || { cat "$dir/why.text"; return 1; }
	done
}

# nothing_is_on: what --why switches on is off
nothing_is_on()
{
	fails grep -E '^\+(sched|irq|block)' "$TRACE/events" && grep -qx none "$TRACE/stacks"
}

# killed: a recorder that is killed leaves nothing on
killed()
{
	local recorder

	vitrine record --why -o "$dir/killed.fxt" -- sleep 1000 >"$dir/said" 2>&1 &
	recorder=$!
	until_true grep -qx "blocked_us=1000 runnable_us=1000 user" "$TRACE/stacks" || return
	kill -KILL "$recorder"
	wait "$recorder"
	until_true nothing_is_on
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
check "the thread that is still blocked is among the longest waits" \
	says ".thread.tid == $sleeper and .still and .blocked_ns >= 10000000 and .chain[0].syscall == \"clock_nanosleep\""
check "the report says that the thread is still blocked" prints "waited .*, still blocked at "
check "the report says where the thread is still blocked" prints "blocked in clock_nanosleep"
check "the thread that is still blocked is in the flame graph" folded "sleep.*;still blocked " 10

# ---- a lock whose holder syncs a disk -----------------------------------------------

# locked: record it until the holder is blocked in fsync about as long as the disk takes. On a
# busy machine, the holder may begin to wait late.
locked()
{
	record lock /dev/nullb0 || return
	read -r _ _ _ _ _ _ _ fsync_ns <"$dir/said"
	says '.thread.name == "lock-waiter" and .chain[0].syscall == "futex" and
	      .blocked_ns >= $disk_ns * 0.9 and
	      .chain[1].syscall == "fsync" and .chain[1].blocked_ns >= $disk_ns * 0.9'
}

check "record a thread that waits for a lock" retried locked
read -r _ _ _ _ _ _ _ fsync_ns <"$dir/said"
check "the trace of the waiter is sound" vitrine check "$dir/trace.fxt"
check "the categories and stacks are off after the recording" nothing_is_on
check "the waiter waited for a futex, and the holder of the lock woke it" says \
	'.thread.name == "lock-waiter" and .chain[0].syscall == "futex" and
	 .chain[0].waker.thread.name == "lock-holder" and .blocked_ns >= $disk_ns * 0.9'
check "the holder was blocked in fsync, for as long as the disk took" says \
	'.thread.name == "lock-waiter" and (.chain[1] | .thread.name == "lock-holder" and
	 .syscall == "fsync" and .blocked_ns >= $disk_ns * 0.9 and .blocked_ns <= $fsync_ns)'
check "the holder waited for the disk, for as long as the disk took" says \
	'.thread.name == "lock-waiter" and (.chain[1].request | .disk == "nullb0" and
	 .operation == "write" and .bytes == 4096 and
	 .end_ns - .begin_ns >= $disk_ns * 0.9 and .end_ns - .begin_ns <= $fsync_ns)'
check "the holder waited for I/O, and the chain ends with it" says \
	'.thread.name == "lock-waiter" and .chain[1].io_wait and (.chain | length) == 2 and
	 .chain_is_cut == false'
check "the starter had woken the waiter through a pipe" says \
	'.thread.name == "lock-waiter" and .chain[0].syscall == "futex" and
	 .before.syscall == "read" and .before.waker.thread.name == "lock-starter"'
check "in words: the waiter" prints "blocked in futex" "woken by lock-holder:"
check "in words: the holder" prints "lock-holder:.* blocked in fsync" \
	"waiting for disk nullb0 \\(write of 4096 bytes: [0-9.]+m?s\\), woken by (an )?interrupt"
check "in words: the disk" prints "blocked for disk +nullb0 [0-9.]+m?s\>"
check "in words: the starter" prints "Before that, lock-starter:.* woke it from read"
if [ -n "$has_stacks" ]; then
	check "the stack of the holder leads to the disk" says \
		'.thread.name == "lock-waiter" and
		 (.chain[1].stack | index("blkdev_fsync") != null and any(test("wait")))'
	check "the flame graph has the wait of the holder, with its length" \
		folded '^workload;lock-holder;blocked;.*;blkdev_fsync;' $((disk_ms * 9 / 10))
	check "the flame graph has the user stack of the holder before the kernel stack" \
		folded '^workload;lock-holder;blocked;(.*;)?(workload\+0x[0-9a-f]+|[^;]* \[workload\]);.*;blkdev_fsync;' \
		$((disk_ms * 9 / 10))
fi

# ---- a real-time thread that starves another ----------------------------------------

check "record a thread that is starved" record starve $starve_ms
check "the starved thread was runnable behind the real-time thread all the time" says \
	'.thread.name == "starve-victim" and .runnable_ns >= $starve_ns * 0.9 and
	 (.behind[0] | .thread.name == "starve-hog" and .priority == 98 and
	  .sum_ns >= $starve_ns * 0.9)'
check "in words" prints "behind starve-hog:[0-9/]* \\([0-9]+ %, real-time priority 1\\)"
check "the flame graph has it" \
	folded '^[^;]*;starve-victim;runnable;.*behind starve-hog' $((starve_ms * 9 / 10))

# ---- a recorder that is killed -----------------------------------------------------------

check "a recorder that is killed leaves nothing on" killed

finish

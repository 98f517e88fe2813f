#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Load and unload the module while the probes run; unloading is refused while a file is
# open or mapped, and succeeds afterwards.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

"$WORKLOAD" crowd 20 100000000 >/dev/null 2>&1 &
crowd=$!
trap 'kill $crowd' EXIT

load_and_unload()
{
	local i

	for ((i = 0; i < ${1:-10}; i++)); do
		load || return
		rmmod vitrine || return
		[ ! -e /sys/kernel/debug/vitrine ] || return
	done
}

check "load and unload under load" load_and_unload 10

# A thread that is to record its user stack keeps the module in use until it has. While stacks
# are armed, threads of the crowd take turns in that, so on a slow machine one always does.
unload_with_user_stacks()
{
	local i

	recorded()
	{
		[ "$(value vitrine .root.trace.stacks.user)" -gt 0 ]
	}

	for ((i = 0; i < $1; i++)); do
		load events=sched || return
		echo "blocked_us=0 user=memory" >"$TRACE/stacks"
		until_true recorded || return
		echo none >"$TRACE/stacks"
		until_true rmmod vitrine || return
	done
}

check "unload while threads are to record their user stacks" \
	unload_with_user_stacks "${1:-5}"

enable_and_disable()
{
	local i

	for ((i = 0; i < 20; i++)); do
		echo 0 >"$TRACE/enable" || return
		echo 1 >"$TRACE/enable" || return
	done
}

change_sessions()
{
	local i clock

	for ((i = 0; i < 10; i++)); do
		for clock in mono boot local; do
			echo "$clock" >"$TRACE/clock" || return
		done
	done
}

load
check "stop and start under load" enable_and_disable
cp "$TRACE/trace.fxt" /tmp/stopped.fxt
check "what was recorded meanwhile is sound" vitrine check /tmp/stopped.fxt
check "change sessions under load" change_sessions
cp "$TRACE/trace.fxt" /tmp/changed.fxt
check "what was recorded since is sound" vitrine check /tmp/changed.fxt

# held FILE: rmmod fails while FILE is open
held()
{
	local fd said

	exec {fd}<"$1"
	said=$(rmmod vitrine 2>&1) && return 1
	exec {fd}<&-
	echo "$said"
	grep -q "in use" <<<"$said"
}

for file in "$INSPECT/system.inspect" "$TRACE/cpu0" "$TRACE/trace.fxt" "$TRACE/enable"; do
	check "unload refused while open: $file" held "$file"
done
check "unload refused while mapped" "$VITRINE_SELFTESTS/map_hold" "$INSPECT/system.inspect"
check "unload refused while a ring is mapped" "$VITRINE_SELFTESTS/map_hold" "$TRACE/cpu0"
check "a mapping outlives its session" "$VITRINE_SELFTESTS/map_hold" "$TRACE/cpu0" "$TRACE/buffer_kb" 256
check "unload" rmmod vitrine

finish

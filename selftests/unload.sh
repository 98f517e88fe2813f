#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Load and unload the module while the probes run; unloading is refused while a file is
# open or mapped, and succeeds afterwards.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

"$WORKLOAD" crowd 20 100000000 >/dev/null 2>&1 &
crowd=$!
trap 'kill $crowd' EXIT

check "load and unload under load" repeat 10 \
	eval 'load && rmmod vitrine && [ ! -e /sys/kernel/debug/vitrine ]'

# A thread that is to record its user stack keeps the module in use until it has. While stacks
# are armed, threads of the crowd take turns in that, so on a slow machine one always does.
recorded() { [ "$(value vitrine .root.trace.stacks.user)" -gt 0 ]; }
check "unload while threads are to record their user stacks" repeat "${1:-5}" eval '
	load events=sched && set_to stacks "blocked_us=0 user=memory" && until_true recorded &&
		set_to stacks none && until_true rmmod vitrine'

load
check "stop and start under load" repeat 20 eval 'set_to enable 0 && set_to enable 1'
check "what was recorded meanwhile is sound" rings_are_sound
check "change sessions under load" repeat 10 \
	eval 'set_to clock mono && set_to clock boot && set_to clock local'
check "what was recorded since is sound" rings_are_sound

for file in "$INSPECT/system.inspect" "$TRACE/cpu0" "$TRACE/trace.fxt" "$TRACE/enable"; do
	check "unload refused while open: $file" refuses 1 "in use" rmmod vitrine <"$file"
done
check "unload refused while mapped" "$VITRINE_SELFTESTS/map_hold" "$INSPECT/system.inspect"
check "unload refused while a ring is mapped, which outlives its session" \
	"$VITRINE_SELFTESTS/map_hold" "$TRACE/cpu0" "$TRACE/buffer_kb" 256
check "unload" rmmod vitrine

finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The flight recorder, loaded as its service does it: it holds half a minute, and "vitrine why
# --last" names the cause of a stall that nobody was waiting for.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

stall_ms=400
export NOT_REAL_TIME=1

dir=$(mktemp -d)
trap 'kill $(jobs -p); rm -rf "$dir"' EXIT

# modprobe does not know where the module is.
printf '#!/bin/sh\nshift\nexec insmod "$VITRINE_KO" "$@"\n' >"$dir/modprobe"
chmod +x "$dir/modprobe"

# start_service PARAMETER...
start_service()
{
	PATH=$dir:$PATH sh "$VITRINE_SELFTESTS/load-recorder" "$@" >"$dir/journal" 2>&1 ||
		{ cat "$dir/journal"; return 1; }
}

# in_effect: what the service says is what the module does
in_effect()
{
	local kb cpus

	kb=$(<"$TRACE/buffer_kb")
	cpus=$(find "$TRACE" -name 'cpu*' | wc -l)
	cat "$dir/journal" "$TRACE/stacks"
	grep -q ": $kb KiB for each of $cpus CPUs, $((kb * cpus)) KiB in all; .* events=sched stacks=$(<"$TRACE/stacks")$" \
		"$dir/journal" && grep -qx +sched "$TRACE/events"
}

# holds SWITCHES: a CPU switches so often among forty threads, each of which is woken up, and
# nothing of it is overwritten. On a slow machine, all of them would wait for 10 ms.
holds()
{
	local set

	set=$(<"$TRACE/stacks")
	set_to stacks none
	"$WORKLOAD" ring 40 "$1" || return
	set_to stacks "$set"
	value vitrine '.root.trace.cpus | map({ records, bytes, overwritten_records })'
	value vitrine '.root.trace.cpus' | jq -e --argjson least $(($1 * 2)) \
		'[.[] | select(.records >= $least)] | length > 0 and all(.overwritten_records == 0)'
}

answer()
{
	vitrine why --last "$@" >"$dir/answer" 2>"$dir/said" || { cat "$dir/answer" "$dir/said"; return 1; }
}

# tells PATTERN...: a line of the answer has all of these patterns
tells()
{
	has_line "$dir/answer" "$@"
}

# ---- what it holds --------------------------------------------------------------

check "the service loads the module" start_service
check "the service says what it records, and how much memory that takes" in_effect
check "30 seconds of 5000 switches a second" holds 150000
unload
check "the service loads the module with smaller rings" start_service buffer_kb=512
check "the service says that the rings are smaller" in_effect

# ---- a stall ----------------------------------------------------------------------

# Programs that have nothing to do with it: one naps again and again, another waits for work.
mkfifo "$dir/fifo"
while sleep 0.1; do :; done &
sh -c "read -r line <>'$dir/fifo'" &

# CPU 0 overwrites its first records.
"$WORKLOAD" ring 40 20000
read -r _ holder _ _ _ waiter _ nap_ns < <("$WORKLOAD" stall $stall_ms)
echo "# the holder had the lock for $nap_ns ns"
check "an answer" answer 30s
sed 's/^/# /' "$dir/answer"
check "the answer is for one screen" \
	awk 'length($0) > 100 || NR > 40 { print; bad = 1 } END { exit bad }' "$dir/answer"
check "the answer names the wait" tells "^[1-5]\. workload/lock-waiter: [0-9.]+m?s waiting for a futex"
check "the answer names the holder of the lock, and what it did" \
	tells "^     [0-9.]+m?s lock-holder:$holder sleeping: a nap"
check "the answer has the stack of the wait" tells "ended by workload/lock-holder \(100 %\); in .*futex_wait"
# held: the wait, and the part of the holder's nap, lasted as long as the nap
held()
{
	vitrine why --live --json >"$dir/json" || return
	jq -e --argjson least $((stall_ms * 1000000)) --argjson tid "$waiter" '.waits[] |
		select(.what == "a futex" and .longest.thread.tid == $tid) | .longest |
		.waited_ns >= $least and .path[0].kind == "sleep" and .path[0].sum_ns >= $least' "$dir/json" ||
		{ jq -c '.waits[] | select(.what == "a futex")' "$dir/json"; return 1; }
}
check "the answer has the length of the nap" held
answer 1h
check "the answer says from when on a CPU is known" \
	tells "^(No records of CPU 0|Not all records of [0-9]+ CPUs) before [0-9.]+: "
check "JSON says from when on each CPU is known" jq -e '.unknown[] | select(.cpu == 0) | .before_ns > 0' "$dir/json"

# ---- a limit ------------------------------------------------------------------------

# A loop in a cgroup with a limit, while the service notes what is throttled.
throttled()
{
	local cgroup=/sys/fs/cgroup/vitrine-last noting loop status

	mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null
	mkdir -p "$cgroup" && echo +cpu >/sys/fs/cgroup/cgroup.subtree_control || return
	echo "20000 100000" >"$cgroup/cpu.max"
	"$VITRINE_SELFTESTS/note-limits" &
	noting=$!
	taskset -c 1 bash -c 'echo $$ >"$1/cgroup.procs"; while :; do :; done' bash "$cgroup" &
	loop=$!
	# It has been throttled for a second and a half, and the rings have that.
	until_true awk '$1 == "throttled_usec" { exit $2 < 1500000 }' "$cgroup/cpu.stat"
	until_true eval 'vitrine print -e event "$TRACE/trace.fxt" |
		grep -q "cgroup limit 20000 100000 .*/vitrine-last"'
	kill "$loop" "$noting"
	wait "$loop" "$noting"
	rmdir "$cgroup"
	answer 5s && tells "^[1-5]\. bash: .* throttled by cgroup /vitrine-last, cpu.max 20 %" &&
		fails grep -E '^(note-limits|vitrine)|^[1-5]. (note-limits|vitrine)' "$dir/answer"
	status=$?
	cat "$dir/answer"
	vitrine print -e event "$TRACE/trace.fxt" | grep -m 20 cgroup
	return $status
}
check "the answer names the limit of a cgroup" throttled

# ---- a recording meanwhile ----------------------------------------------------------

cp "$TRACE/stacks" "$dir/at_load"
check "a recording replaces what the service has set" eval '
	vitrine record --why -o "$dir/trace.fxt" -- cp "$TRACE/stacks" "$dir/meanwhile" &&
	has_line "$dir/meanwhile" "^blocked_us=1000 .*sample_hz=99"'
check "the recording restores it" same "$dir/at_load" "$TRACE/stacks"

finish

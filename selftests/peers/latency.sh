#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compare `vitrine latency' and `perf sched latency' on the same switches, recorded at the
# same time: same threads, same counts, times within 1 % or 10 us.
#
# Needs a guest with one CPU that counts instructions. Both tracers read the same clock, one
# after the other. If the host preempted the guest in between, or QEMU let another CPU of the
# guest run for its 33 us, the results would differ by that time, which is no fault of either
# tracer.
#
# Leaves in $OUT: latency.fxt and latency.perf, and latency.tsv with both results for each
# thread.

# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")/..}/lib.sh" || exit

out=${OUT:-.}
hops=${1:-2000}
type perf >/dev/null 2>&1 || skip "no perf here"

# Both recordings contain the whole workload. perf 6.1 records wakeups as sched_waking, as
# vitrine does, but then looks for sched_wakeup, which has the same fields and a name of the
# same length. Nor does it know that 0x100, "R+" in perf script, is a preempted thread, and
# leaves such waits out; 0 means runnable, too. The field follows the priority, 120.
record()
{
	perf sched record -q -m 8M -o /tmp/latency.perf -- \
		vitrine record -o "$out/latency.fxt" -- "$WORKLOAD" crowd 20 "$hops" &&
	perl -0777 -pe 's/sched_waking/sched_wakeup/g; s/x\0{4}\x01\0{6}/"x" . "\0" x 11/ge' /tmp/latency.perf \
		>"$out/latency.perf"
}

# Thread id, waits, their sum and the longest in us, time running in us.
ours()
{
	vitrine latency --json "$out/latency.fxt" | jq -r '.threads[] |
		select(.thread.name | tostring | startswith("crowd")) |
		[.thread.tid, .runnable.count, .runnable.sum_ns / 1e3, .runnable.max_ns / 1e3,
		 .running_ns / 1e3] | @tsv' |
		sort
}

theirs()
{
	perf sched latency -p -i "$out/latency.perf" 2>/dev/null |
	awk -F '|' '$1 ~ /^ *crowd/ {
		split($1, name, ":")
		gsub(/[^0-9.]/, "", $4)
		sub(/ max start.*/, "", $5)
		gsub(/[^0-9.]/, "", $5)
		printf "%d\t%d\t%.3f\t%.3f\n", name[2], $3, $4 * $3 * 1000, $5 * 1000
	}' | sort
}

# Thread id and running time in us, from one switch to the next, computed from perf's
# records: perf sched timehist leaves out the last time slice of a thread, which has exited
# and is -1 to perf by then.
their_runs()
{
	perf script --ns -i "$out/latency.perf" 2>/dev/null |
	awk 'match($0, /[0-9]+\.[0-9]+: +sched:sched_switch: /) {
		split(substr($0, RSTART, RLENGTH), time, /[.:]/)
		us = time[1] * 1e6 + time[2] / 1e3
		match($0, /prev_pid=[0-9]+/)
		out = substr($0, RSTART + 9, RLENGTH - 9)
		match($0, /next_pid=[0-9]+/)
		if (out in since)
			ran[out] += us - since[out]
		since[substr($0, RSTART + 9, RLENGTH - 9)] = us
		if ($0 ~ /prev_comm=crowd/)
			crowd[out]
	}
	END { for (tid in crowd) printf "%d\t%.3f\n", tid, ran[tid] }' | sort
}

# near COLUMN COLUMN [PER]: equal within 1 %, or 10 us for each of the number in PER, for
# each thread
near()
{
	awk -F '\t' -v a="$1" -v b="$2" -v per="${3-}" '{
		allowed = 10 * (per ? $per : 1)
		if ($b / 100 > allowed)
			allowed = $b / 100
		if ($a - $b > allowed || $b - $a > allowed) {
			print
			bad = 1
		}
	}
	END { exit bad || !NR }' "$out/latency.tsv"
}

load clock=local
echo +sched >"$TRACE/events"
check "recorded by both" record
check "nothing is lost in ours" sh -c "vitrine check '$out/latency.fxt' | grep -q ', 0 records lost'"
# columns: tid; vitrine: waits, sum, max, running; perf: waits, sum, max; running
join -t $'\t' <(ours) <(theirs) | join -t $'\t' - <(their_runs) >"$out/latency.tsv"
check "the same threads" diff <(ours | cut -f 1) <(theirs | cut -f 1)
check "twenty of them" [ "$(wc -l <"$out/latency.tsv")" = 20 ]
check "the same counts" diff <(cut -f 1,2 "$out/latency.tsv") <(cut -f 1,6 "$out/latency.tsv")
# perf's sum is computed from a mean in whole microseconds.
check "mean wait" near 3 7 2
check "longest wait" near 4 8
check "time running" near 5 9
sed 's/^/# /' "$out/latency.tsv"
finish

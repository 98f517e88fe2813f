#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine latency' and `perf sched latency' of the same switches, recorded at the
# same time: the same threads, the same counts, times within 1 % or 10 us.
#
# Wants a guest that counts instructions. Both read the same clock, but one after the
# other: where the machine below takes the processor away in between, they differ by
# as long as that takes, which says nothing of either.
#
# Leaves in $OUT: latency.fxt and latency.perf, latency.tsv with what both say of
# each thread.

# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")/..}/lib.sh" || exit

out=${OUT:-.}
hops=${1:-2000}
type perf >/dev/null 2>&1 || skip "no perf here"

# Both records hold all of the workload, as it begins and ends within both. perf 6.1
# records wakeups as sched_waking, as we do, but then looks for sched_wakeup, which
# has the same fields and as long a name. Nor does it know that 0x100, "R+" to perf
# script, is a thread that is preempted: it leaves such waits out. 0 is one, too; the
# field is behind the priority, 120.
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
		select(.thread.name | tostring | startswith("crowd")) | [.after_wakeup, .after_preemption] as $w |
		[.thread.tid, ($w | map(.count) | add), ($w | map(.sum_ns) | add) / 1e3,
		 ($w | map(.max_ns) | max) / 1e3, .running_ns / 1e3] | @tsv' |
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

# Thread id and time running in us, from one switch to the next as we count it. Of its
# records, as perf sched timehist leaves out the last turn of a thread, which is gone
# and -1 to perf by then.
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

# near COLUMN COLUMN [PER]: equal within 1 %, or 10 us for each of those in PER, for
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
# tid, ours: waits, sum, max, running; theirs: waits, sum, max; running
join -t $'\t' <(ours) <(theirs) | join -t $'\t' - <(their_runs) >"$out/latency.tsv"
check "the same threads" diff <(ours | cut -f 1) <(theirs | cut -f 1)
check "twenty of them" [ "$(wc -l <"$out/latency.tsv")" = 20 ]
check "the same counts" diff <(cut -f 1,2 "$out/latency.tsv") <(cut -f 1,6 "$out/latency.tsv")
# Their sum is that of a mean in whole microseconds.
check "mean wait" near 3 7 2
check "longest wait" near 4 8
check "time running" near 5 9
sed 's/^/# /' "$out/latency.tsv"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Record everything: "+all" in trace/events, trace/cost, and `vitrine record --all' with
# its report of the cost.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

events=$TRACE/events

# all_are SIGN: each category in trace/events has this sign
all_are()
{
	cat "$events"
	! grep -v "^$1" "$events"
}

# cost KIND: cost of a record of this kind in picoseconds
cost()
{
	awk -v kind="$1" '$1 == kind { print $2 }' "$TRACE/cost"
}

# ---- trace/events ---------------------------------------------------------------

load
check "there are categories" grep -q '^-irq$' "$events"
echo +all >"$events"
check "+all: each is on that this kernel has" grep -q '^+irq$' "$events"
# Some categories depend on the kernel's configuration; these do not.
for category in sched irq syscall timer module; do
	check "$category is" grep -qx "+$category" "$events"
done
echo "+all:cpus=0" >"$events"
check "+all with a filter: each category that is on has the filter" \
	fails grep -v -e '^+.*:cpus=0$' -e '^-[^:]*$' "$events"
echo -all >"$events"
check "-all: none is on, none has a filter" all_are -
check "no filter: refused" rejects events "Invalid argument" +all:cpus=x
check "no category is on after the refused filter" all_are -
unload
load events=all
check "events=all, at load" grep -qx +syscall "$events"
echo -all >"$events"

# ---- trace/cost -------------------------------------------------------------------

check "a switch costs something" within 1 "$(cost switch)" 1000000000
check "a wakeup costs nothing while none is recorded" prints 0 cost wakeup
check "an event costs something" within 1 "$(cost event)" 1000000000
echo +sched >"$events"
check "a wakeup does, once it is recorded" within 1 "$(cost wakeup)" 1000000000
echo -sched >"$events"

# count_switches: set $switches to the number of context switches since boot; without a
# process of its own, which would be among them
count_switches()
{
	local word nr

	while read -r word nr _; do
		[ "$word" != ctxt ] || switches=$nr
	done </proc/stat
}

# The trace does not contain the measured records, 256 of each kind, eight times. It contains
# the switches meanwhile, of which there are more on a slow machine.
measured()
{
	local before most added

	count_switches
	most=$((15000 - switches))
	before=$(total .records)
	repeat 10 cat "$TRACE/cost" >/dev/null
	added=$(($(total .records) - before))
	count_switches
	within 0 "$added" $((most + switches))
}
check "measuring records nothing" measured
set_to enable 0
check "trace/cost of a switch is 0 while nothing is recorded" prints 0 cost switch
set_to enable 1

# ---- vitrine record --all ------------------------------------------------------------

record()
{
	vitrine record --all -o "$dir/all.fxt" -- "$@" 2>"$dir/said"
}

work()
{
	cp "$events" "$dir/events"
	"$WORKLOAD" crowd 8 8000
	"$WORKLOAD" calls 5000
}
export -f work
export events dir
check "a recording of all" record bash -c work
check "each category was on" fails grep -E '^-(sched|irq|syscall|timer|module)' "$dir/events"
check "all categories are off again after the recording" all_are -
check "the recording of all categories is sound" vitrine check "$dir/all.fxt"
sed 's/^/# /' "$dir/said"
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	check "the recorder tells the share of the time of CPU $cpu" \
		grep -E "recording took.* [0-9]+\.[0-9]{2} % of CPU ${cpu}[,;]" "$dir/said"
done
check "the recorder tells the processor time of saving the trace" \
	grep -E '; saving it [0-9.]+ % of one CPU$' "$dir/said"

# Durations on one thread nest or are disjoint, and those of interrupts end before the
# thread is switched out.
nested()
{
	vitrine print "$dir/all.fxt" >"$dir/all.txt" &&
	sed -nE 's/^ *([0-9]+)\.([0-9]{9}) \[([0-9]+)\] complete +([^ ]+) ((irq|timer|ipi):.*) until ([0-9]+)\.([0-9]{9}).*/\1\2 \3 \4 \7\8 \5/p
		s/^ *([0-9]+)\.([0-9]{9}) \[([0-9]+)\] switch +.*/\1\2 \3 switch/p' "$dir/all.txt" |
		awk '
			$3 == "switch" { if ($1 + 0 < end[$2] + 0) { print "switched in", $0; bad++ } depth[$2] = 0; next }
			{
				while (depth[$2] && open[$2, depth[$2]] <= $1 + 0)
					depth[$2]--
				nr++
				# Of two with the same begin, the inner one is written first.
				if (depth[$2] && begin[$2, depth[$2]] == $1 && open[$2, depth[$2]] < $4 + 0)
					open[$2, depth[$2]] = $4 + 0
				if (depth[$2] && open[$2, depth[$2]] < $4 + 0) { print "overlaps", $0, "in", what[$2, depth[$2]]; bad++ }
				open[$2, ++depth[$2]] = $4 + 0
				begin[$2, depth[$2]] = $1
				what[$2, depth[$2]] = $0
				if ($4 + 0 > end[$2] + 0) end[$2] = $4
				if (depth[$2] > 1) inner++
			}
			END { print nr, inner, bad + 0; exit bad || nr < 100 || !inner }'
}
check "interrupts lie in the time that their thread ran, and in each other" nested

finish

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What selftests share that look into recordings: the counters of the module, what `vitrine
# check' and the recorder count, and the events of a trace. They record into files of $dir.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# ---- counters ---------------------------------------------------------------

# total FILTER: sum of a jq expression over all CPUs in the tree "vitrine"
total()
{
	value vitrine "[.root.trace.cpus[] | $1] | add"
}

# sample NAME FILTER: set $NAME_count to the kernel's number of context switches, between the
# two readings $NAME_low and $NAME_high of ours
sample()
{
	declare -g "$1_low=$(total "$2")"
	declare -g "$1_count=$(sed -n 's/^ctxt //p' /proc/stat)"
	declare -g "$1_high=$(total "$2")"
}

# each_is_counted MOST: between the samples "before" and "after", ours has grown by the number of
# switches, and by at most MOST records that are none. A CPU may have counted a switch that it has
# not recorded yet.
each_is_counted()
{
	# shellcheck disable=SC2154
	within $((after_low - before_high - $1 - $(nproc))) $((after_count - before_count)) \
		$((after_high - before_low + $(nproc)))
}

# number WORDS FILE: the number in front of WORDS in what a command has printed
number()
{
	sed -nE "s/^(.*[^0-9])?([0-9]+) $1.*/\\2/p" "$2" | tail -n 1
}

# least NR COMMAND...: NR times, COMMAND prints a number of switches or calls, and their time in
# nanoseconds; print the time of one times 100, the minimum of all
least()
{
	local run

	for ((run = 0; run < $1; run++)); do
		"${@:2}" | awk '{ printf "%d\n", $4 * 100 / $2 }'
	done | sort -n | head -n 1
}

# marked FILE: the number of lost records according to the marks in FILE
marked()
{
	vitrine print "$1" | sed -n 's/.*drop_stats.*num_records=\([0-9]*\).*/\1/p' |
		awk '{ sum += $1 } END { print sum + 0 }'
}

# ---- events -----------------------------------------------------------------

# rejects FILE ERROR WORDS: writing the words to a file of trace/ fails
rejects()
{
	refuses 1 "$2" bash -c "echo '$3' >$TRACE/$1"
}

# arm WORDS: write the settings of trace/stacks
arm()
{
	set_to stacks "$1"
}

# says WORDS: the settings read back as WORDS
says()
{
	prints "$1" cat "$TRACE/stacks"
}

# save: save the content of the rings, and decode it; if it is not sound, no event is found, and
# none is known to be missing
save()
{
	rm -f "$dir/trace.json"
	rings_are_sound "$dir/trace.fxt" && vitrine print --json "$dir/trace.fxt" >"$dir/trace.json"
}

# waits [COMMAND...]: record two processes, run by COMMAND, that are blocked for 20 ms; set $pipe
# and $flock to their ids
waits()
{
	restart
	# shellcheck disable=SC2034
	read -r _ pipe _ flock < <("$@" "$WORKLOAD" waits 20)
	save
}

# events FILTER: print the events of the category that the jq filter selects, one per line; in a
# slow guest, jq alone would take half a minute for a large trace
events()
{
	grep -F '"stacks"' "$dir/trace.json" | jq -c "select(.category == \"stacks\") | $1"
}

# of NAME TID: print the jq filter of the events of this name that a thread has
of()
{
	echo "select(.name == \"$1\" and .thread.tid == $2)"
}

# some FILTER, none FILTER: check that there is such an event, or that there is none
some()
{
	events "$1" >"$dir/some"
	tail -n 20 "$dir/some"
	[ -s "$dir/some" ] || { events . | tail -n 20; return 1; }
}

none()
{
	events "$1" >"$dir/none"
	tail -n 20 "$dir/none"
	[ -s "$dir/trace.json" ] && [ ! -s "$dir/none" ]
}

# in_turn TID FILTER: the jq filter is true of the list of all events that a thread has, in order
in_turn()
{
	events "select(.thread.tid == $1)" | jq -se "$2"
}

# nr_stacks NAME: print a counter of stacks in the tree "vitrine"
nr_stacks()
{
	value vitrine ".root.trace.stacks.$1"
}

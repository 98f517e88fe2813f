#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A `cut', a `merge' and a `convert' that change nothing are the identity: every report says the
# same words of the copy, and a copy of what `vitrine record' wrote is at most 10 % larger. In a
# copy, Perfetto's importer finds the same wakers as `vitrine print'.
#
# DIR holds mkfxt and importer, which the Makefile builds. The traces are all good ones of mkfxt,
# and the recordings in RECORDINGS, or those of golden/recordings.

recordings=$(realpath "${RECORDINGS:-$(dirname "$0")/../golden/recordings}")
# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit
importer=$build/importer

reports=("print" "print --json" "latency" "why --all" "flame -f -o -" "check" "diff trace.fxt")

# words REPORT FILE: print what REPORT says of FILE. Offsets and providers differ, as do the lines
# about faults of order, which a copy does not have. The note of a cut is a record of its own, on
# which nothing else depends. Events of unknown types are left out, as a message says. What `check'
# says is the number of switches, of threads and of lost records.
words()
{
	local report=$1

	(
		cd "$(dirname "$2")" || exit
		# shellcheck disable=SC2086
		"$vitrine" $report "$(basename "$2")" 2>&1
	) | grep -v "^vitrine: \|vitrine:left_out\|\"left_out\"\|: note: \|\] event   " |
		sed -E 's/"offset":[0-9]+,|"provider":[0-9]+,//g; s/ [0-9]+ bytes, [0-9]+ records,//
			s/ provider [0-9]+/ provider/'
}

# Of traces of other producers, a copy tells wakers and weights.
foreign_words()
{
	words "$@" | sed -E 's/ weight=[0-9]+//; s/ waker=[0-9]+//
		s/,"args":\{("weight":[0-9]+,?)?("waker":[0-9]+)?\}//'
}

# says_the_same WORDS COPY: all reports say the same of trace.fxt and COPY, by the function WORDS
says_the_same()
{
	local report bad=0

	for report in "${reports[@]}"; do
		diff -u <("$1" "$report" trace.fxt) <("$1" "$report" "$2/trace.fxt") ||
			{ echo "differs: $report"; bad=1; }
	done
	return "$bad"
}

# is_small COPY: COPY is at most a tenth larger than trace.fxt with the wakers, which take 16 bytes
# in each wakeup
is_small()
{
	local before after nr

	nr=$("$vitrine" print trace.fxt | grep -c " wakeup ")
	before=$(($(stat -c %s trace.fxt) + 16 * nr))
	after=$(stat -c %s "$1/trace.fxt")
	echo "$before bytes with the wakers of $nr wakeups, now $after"
	[ "$after" -le $((before * 11 / 10)) ]
}

# wakers FILE: print time, woken thread and waker of each wakeup, by `vitrine print'
wakers()
{
	"$vitrine" print --json "$1" | jq -r 'select(.kind == "wakeup") |
		"\(.time_ns) \(.thread.tid) \(.args.waker)"' | sort
}

# has_wakers FILE: the importer derives the wakers of trace.fxt from FILE
has_wakers()
{
	"$importer" "$1" wakeups >importer.out && diff -u <(wakers trace.fxt) <(sort importer.out)
}

# copy COMMAND...: write the copy of trace.fxt that COMMAND makes to COMMAND/trace.fxt
copy()
{
	mkdir -p "$1" && command_into_files "$@" trace.fxt -o "$1/trace.fxt"
	cat "$dir/err"
	[ "$(cat "$dir/status")" = 0 ]
}

for name in $("$mkfxt"); do
	"$mkfxt" "$name" >trace.fxt
	"$vitrine" check trace.fxt >check.out 2>&1 || continue
	# Of a trace without times, nothing can be cut.
	[ -n "$("$vitrine" print trace.fxt 2>&1)" ] || continue
	compare=words
	grep -qa VTPACKET trace.fxt || compare=foreign_words
	for command in "cut --to 1000000000" merge; do
		# shellcheck disable=SC2086
		check "$name: ${command%% *}" copy $command
		# A switch from a thread that was not running counts as a loss, as the message says.
		if grep -q "from a thread that was not running" err; then
			reports_of_all=("${reports[@]}")
			reports=(print)
		fi
		check "$name: ${command%% *}: the same words" says_the_same "$compare" "${command%% *}"
		[ -z "${reports_of_all-}" ] || reports=("${reports_of_all[@]}")
	done
done

# A trace of another producer does not tell the wakers; a copy takes them from the switches.
"$mkfxt" rush >trace.fxt
check "wakers of another producer's trace" copy merge
check "wakers of another producer's trace: who runs on the CPU" same <(printf '%s\n' "1500 21 11" "3000 21 41") \
	<("$importer" merge/trace.fxt wakeups | sort)

for file in "$recordings"/*.fxt*; do
	name=$(basename "${file%%.fxt*}")
	zstd -qdcf "$file" >trace.fxt
	for command in "cut --to 1000000000" merge; do
		# shellcheck disable=SC2086
		check "$name: ${command%% *}" copy $command
		check "$name: ${command%% *}: the same words" says_the_same words "${command%% *}"
		check "$name: ${command%% *}: at most a tenth larger" is_small "${command%% *}"
		check "$name: ${command%% *}: the importer finds the wakers" has_wakers "${command%% *}/trace.fxt"
	done
	mkdir -p convert
	check "$name: convert" exits 0 "" convert trace.fxt -o trace.fxt.zst
	zstd -qdcf trace.fxt.zst >convert/trace.fxt
	check "$name: convert: the same bytes" cmp trace.fxt convert/trace.fxt
done
plan

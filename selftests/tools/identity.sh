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
. "$(dirname "$0")/command" || exit
importer=$build/importer

reports=("print" "print --json" "latency" "why --all" "flame -f -o -" "check" "diff trace.fxt")

# words REPORT FILE: print what REPORT says of FILE. Offsets and providers differ, as do the lines
# about faults of order, which a copy does not have. The note of a cut is a record of its own, on
# which nothing else depends. Events of unknown types are left out, as a message says. What `check'
# says is the number of switches, of threads and of lost records. Of traces of other producers, a
# copy tells wakers and weights.
words()
{
	local report=$1 foreign=

	grep -qa VTPACKET trace.fxt || foreign='s/ weight=[0-9]+//; s/ waker=[0-9]+//
		s/,"args":\{("weight":[0-9]+,?)?("waker":[0-9]+)?\}//'
	(
		cd "$(dirname "$2")" || exit
		# shellcheck disable=SC2086
		"$vitrine" $report "$(basename "$2")" 2>&1
	) | grep -v "^vitrine: \|vitrine:left_out\|\"left_out\"\|: note: \|\] event   " |
		sed -E 's/"offset":[0-9]+,|"provider":[0-9]+,//g; s/ [0-9]+ bytes, [0-9]+ records,//
			s/ provider [0-9]+/ provider/;'"$foreign"
}

# says_the_same COPY REPORT...: all REPORTs say the same of trace.fxt and COPY
says_the_same()
{
	local report bad=0

	for report in "${@:2}"; do
		diff -u <(words "$report" trace.fxt) <(words "$report" "$1/trace.fxt") ||
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

# has_wakers FILE: the importer derives the wakers of trace.fxt from FILE
has_wakers()
{
	"$importer" "$1" wakeups >importer.out && diff -u <(sort importer.out) \
		<("$vitrine" print --json trace.fxt | jq -r 'select(.kind == "wakeup") |
			"\(.time_ns) \(.thread.tid) \(.args.waker)"' | sort)
}

# copied NAME WORD...: trace.fxt is copied by "cut" and by "merge", with the same words
copied()
{
	local command

	for command in "cut --to 1000000000" merge; do
		copy=${command%% *}
		mkdir -p "$copy"
		# shellcheck disable=SC2086
		command_into_files $command trace.fxt -o "$copy/trace.fxt"
		check "$1: $copy" test "$(cat status)" = 0
		# A switch from a thread that was not running counts as a loss, as the message says.
		local compared=("${reports[@]}")
		! grep -q "from a thread that was not running" err || compared=(print)
		check "$1: $copy: the same words" says_the_same "$copy" "${compared[@]}"
		"${@:2}"
	done
}

for name in $("$mkfxt"); do
	"$mkfxt" "$name" >trace.fxt
	# Of a trace without times, nothing can be cut.
	! "$vitrine" check trace.fxt >check.out 2>&1 || [ -z "$("$vitrine" print trace.fxt 2>&1)" ] ||
		copied "$name" true
done

# A trace of another producer does not tell the wakers; a copy takes them from the switches.
"$mkfxt" rush >trace.fxt
"$vitrine" merge trace.fxt -o merge/trace.fxt
check "wakers of another producer's trace: who runs on the CPU" prints $'1500 21 11\n3000 21 41' \
	bash -c "'$importer' merge/trace.fxt wakeups | sort"

# small_with_wakers: the copy is small, and the importer finds its wakers
small_with_wakers()
{
	check "$name: $copy: at most a tenth larger" is_small "$copy"
	check "$name: $copy: the importer finds the wakers" has_wakers "$copy/trace.fxt"
}

for file in "$recordings"/*.fxt*; do
	name=$(basename "${file%%.fxt*}")
	zstd -qdcf "$file" >trace.fxt
	copied "$name" small_with_wakers
	mkdir -p convert
	check "$name: convert" exits 0 "" convert trace.fxt -o trace.fxt.zst
	zstd -qdcf trace.fxt.zst >convert/trace.fxt
	check "$name: convert: the same bytes" cmp trace.fxt convert/trace.fxt
done
plan

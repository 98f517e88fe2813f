#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine cut' with a choice of threads: reports about the part say what they say about these
# threads in the whole trace. Where that names a thread which was left out, it was "not
# recorded" in the part.

# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit

set -o pipefail

# Functions for jq. "who" is idle, a chosen thread, of which $tids is a list, or another one.
# shellcheck disable=SC2016
common='
def who: if .tid == 0 or (.tid as $tid | $tids | index($tid)) then .tid else "not recorded" end;
def sums: group_by(.thread | who) | map([(.[0].thread | who), (map(.sum_ns) | add)]) | sort;
def waker: if . and .thread then .thread |= who else . end;
def link: .thread |= who | .waker |= waker;
'

# report FILTER ARGUMENT...: print the result of jq for a report in JSON, without the names of
# threads that were not chosen
report()
{
	"$vitrine" "${@:2}" | jq -S --argjson tids "$tids" "$common $1"
}

# latency, switches, why, flame, timeline FILE [FILTER...]: print what a report says
latency()
{
	"$vitrine" latency "$@" | sed -n 1,2p
	report 'walk(if type == "object" and has("max_instead") then .max_instead |= who else . end)' latency -j "$@"
}

switches()
{
	report '.instead |= who' latency -wj "$@"
}

why()
{
	report '{ begin_ns, end_ns, groups, waits: [.waits[] | [.group, .kind, .count, .sum_ns]] | sort }' \
		why -j "$@"
}

flame()
{
	"$vitrine" flame -f -o - "$@" |
		sed -E '/;behind an idle CPU [0-9]+$/! s/;behind .* ([0-9]+)$/;behind another \1/' |
		awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (each in sum) print each, sum[each] }' | sort
}

timeline()
{
	"$vitrine" timeline "$@" -o page.html || return
	page_data page.html | jq -cS '
		def turns: . as $items | { at: 0, ns: 0, turns: [] } | until(.at >= ($items | length);
			(.ns + $items[.at]) as $begin | $items[.at + 1] as $ran |
			(if $items[.at + 2] >= 0 then .turns += [[$begin, $ran] + $items[.at + 2:.at + 8]] else . end) |
			.ns = $begin + $ran | .at += 8) | .turns;
		[.begin, .length, .threads, (.lanes[] | [.cpu, .busy, .gaps, .interrupts, (.items | turns)])]'
}

# alike REPORT NAME FILTER...: REPORT says of the part, NAME.part.fxt, what it says of the
# selected threads in NAME.fxt
alike()
{
	"$1" "$2.fxt" "${@:3}" >whole.said || return
	"$1" "$2.part.fxt" >part.said || return
	diff -u whole.said part.said
}

# NAME, the ids of the threads, and the options that select them
while read -r name tids filter; do
	case $name in
	load)	"$mkfxt" load 1 0 ;;
	*)	"$mkfxt" "$name" ;;
	esac >"$name.fxt"
	# shellcheck disable=SC2086
	check "$name $filter: cut" exits 0 "" cut "$name.fxt" $filter -o "$name.part.fxt"
	check "$name $filter: the part is sound" output_has ": no fault" "$vitrine" check "$name.part.fxt"
	for report in latency switches why flame timeline; do
		# shellcheck disable=SC2086
		check "$name $filter: $report" alike $report "$name" $filter
	done
	"$vitrine" latency "$name.part.fxt" >latency.said
	"$vitrine" why "$name.part.fxt" >why.said
	check "$name $filter: the stand-in has no row" fails grep -qE "^(a thread |not recorded|.*0x7ffe|.*214735)" latency.said why.said
done <<-'END'
	disk [201] -t waiter
	disk [202] -t holder
	disk [201,202] -p app
	starved [501] -t victim
	starved [502] -t late
	relay [606] -t runner-5
	still [201] -t waiter
	still [400] -p sshd
	torn [21] -t beta
	torn [11,41] -t alpha -t 41
	spans [101] -p main
	wide [77] -t wide
	late-spans [101] -t worker
	load [703] -t worker-2
	snapshot [201] -t waiter
	snapshot [300] -t cc1
END

"$vitrine" merge disk.part.fxt starved.part.fxt -o merged.fxt
check "merged parts: the stand-ins are no threads" prints '["holder","late","waiter"]' \
	bash -c "'$vitrine' latency -j merged.fxt | jq -c '[.threads[].thread.name] | sort'"

# What a report says of the threads that were left out, once.
"$mkfxt" starved >starved.fxt
"$vitrine" cut starved.fxt -t late -o starved.part.fxt
"$vitrine" why starved.part.fxt >said
check "why: behind whom is not known" grep -q "behind not recorded (100 %)" said
check "latency: nor who had the CPU" prints '[0,"not recorded"]' \
	bash -c "'$vitrine' latency -j starved.part.fxt | jq -c '.threads[0].runnable | [.max_cpu, .max_instead.name]'"
"$mkfxt" relay >relay.fxt
"$vitrine" cut relay.fxt -t runner-5 -o relay.part.fxt
check "idle stays idle" prints '["a CPU waking up",50000,"not recorded",10000]' \
	bash -c "'$vitrine' why -j relay.part.fxt | jq -c '[.waits[] | select(.kind == \"cpu\").behind[] | .group, .sum_ns]'"
check "and the CPU is as busy as it was" test "$("$vitrine" latency relay.part.fxt | sed -n '1s/.*busy for \([0-9.]*\) .*/\1/p')" = \
	"$("$vitrine" latency relay.fxt | sed -n '1s/.*busy for \([0-9.]*\) .*/\1/p')"
tids='[606]'
"$vitrine" cut relay.part.fxt -t runner-5 -o again.part.fxt
mv relay.part.fxt again.fxt
for report in latency switches why flame timeline; do
	check "a part of a part: $report" alike $report again -t runner-5
done

plan

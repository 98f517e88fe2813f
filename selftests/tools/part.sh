#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine cut' with a choice of threads: reports about the part say what they say about these
# threads in the whole trace. Where that names a thread which was left out, it was "not
# recorded" in the part.

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

# report REPORT FILE [FILTER...]: print what a report says, without the names of threads that
# were not chosen
report()
{
	local filter

	case $1 in
	latency)
		"$vitrine" latency "${@:2}" | sed -n 1,2p
		set -- "latency -j" "${@:2}"
		filter='walk(if type == "object" and has("max_instead") then .max_instead |= who else . end)' ;;
	"latency -wj")
		filter='.instead |= who' ;;
	"why -j")
		filter='{ begin_ns, end_ns, groups, waits: [.waits[] | [.group, .kind, .count, .sum_ns]] | sort }' ;;
	*)
		"$@"
		return ;;
	esac
	# shellcheck disable=SC2086 # split into words on purpose
	"$vitrine" $1 "${@:2}" | jq -S --argjson tids "$tids" "$common $filter"
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

# alike_in REPORT NAME FILTER...: REPORT says of the part, NAME.part.fxt, what it says of the
# selected threads in NAME.fxt; all_alike NAME FILTER...: so do all reports
alike_in()
{
	report "$1" "$2.fxt" "${@:3}" >whole.said && report "$1" "$2.part.fxt" >part.said &&
		diff -u whole.said part.said
}

all_alike()
{
	local name=$1 report

	for report in latency "latency -wj" "why -j" flame timeline; do
		check "$name ${*:2}: $report" alike_in "$report" "$name" "${@:2}"
	done
}

# NAME, the ids of the threads, and the options that select them
"$mkfxt" load 1 0 >load.fxt
while read -r name tids filter; do
	[ "$name" = load ] || traces "$name"
	# shellcheck disable=SC2086
	check "$name $filter: cut" exits 0 "" cut "$name.fxt" $filter -o "$name.part.fxt"
	check "$name $filter: the part is sound" sound "$name.part.fxt"
	# shellcheck disable=SC2086
	all_alike "$name" $filter
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
check "merged parts: the stand-ins are no threads" json '["holder","late","waiter"]' \
	'[.threads[].thread.name] | sort' latency -j merged.fxt

# What a report says of the threads that were left out, once.
"$vitrine" cut starved.fxt -t late -o starved.part.fxt
check "why: behind whom is not known" has "behind not recorded \(100 %\)" why starved.part.fxt
check "latency: nor who had the CPU" json '[0,"not recorded"]' \
	'.threads[0].runnable | [.max_cpu, .max_instead.name]' latency -j starved.part.fxt
"$vitrine" cut relay.fxt -t runner-5 -o relay.part.fxt
check "idle stays idle" json '["a CPU waking up",50000,"not recorded",10000]' \
	'[.waits[] | select(.kind == "cpu").behind[] | .group, .sum_ns]' why -j relay.part.fxt
busy=$("$vitrine" latency relay.fxt | grep -o 'busy for [0-9.]* ')
check "and the CPU is as busy as it was" has "${busy:-nothing}" latency relay.part.fxt
tids='[606]'
"$vitrine" cut relay.part.fxt -t runner-5 -o again.part.fxt
mv relay.part.fxt again.fxt
all_alike again -t runner-5

plan

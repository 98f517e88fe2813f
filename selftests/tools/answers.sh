#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What `vitrine' answers about a trace: print with its filters.
#
#   answers.sh VITRINE WORDS DIR
#
# DIR holds mkfxt, which makes the traces.

set -u
vitrine=$(realpath "$1")
mkfxt=$(realpath "$3/mkfxt")
tests=0
failed=0

# prints WHAT EXPECTED COMMAND...: exactly so, errors included
prints()
{
	local what=$1 expected=$2 difference

	shift 2
	tests=$((tests + 1))
	if difference=$(diff -u <(echo "$expected") <("$@" 2>&1)); then
		echo "ok $tests $what"
	else
		echo "not ok $tests $what"
		printf '%s\n' "$difference" | sed 's/^/# /'
		failed=1
	fi
}

# refuses WHAT COMMAND...: status 2 and a word about it
refuses()
{
	local what=$1 said status

	shift
	tests=$((tests + 1))
	said=$("$@" 2>&1)
	status=$?
	if [ $status = 2 ] && grep -q 'makes no sense' <<<"$said"; then
		echo "ok $tests $what"
	else
		echo "not ok $tests $what: status $status"
		failed=1
	fi
}

# times ARGUMENT...: when what is printed was, in nanoseconds
times()
{
	"$vitrine" print --json "$@" | jq -r .time_ns | paste -sd ' '
}

dir=$3/answers
mkdir -p "$dir" && cd "$dir" || exit 1
for name in records vitrine crowd renamed; do
	"$mkfxt" $name >$name.fxt
done

echo "TAP version 13"

# CPU 0 switches at 5000, 5010, 5100, 5110, 6000, 6010; CPU 1 at 5005, 5015,
# 5105, 5115, 5205, 5215, then lost, then 6005.
prints "one CPU" "5000 5010 5100 5110 6000 6010" times --cpu 0 vitrine.fxt
prints "a range of CPUs" "5205 5215 5215 6005" \
	times --cpu 3,1-2 --from 5200ns vitrine.fxt
prints "of no CPU: left out" "" times --cpu 0 crowd.fxt
prints "seconds, both ends within" "5010 5015 5100" \
	times --from 0.00000501 --to 0.0000051 vitrine.fxt
prints "relative times" "5 10 15 100" \
	times --relative --from 0.000000001 --to 100ns vitrine.fxt
prints "relative, in text" "     0.000000010 [000] switch  worker:101/100 [120] blocked ==> idle:0/0 [0]" \
	"$vitrine" print -r --from 10ns --to 10ns vitrine.fxt
prints "one kind" "5215" times --event lost vitrine.fxt
prints "two kinds" "2103000000 2200000000 2200000000" \
	times -e wakeup -e log records.fxt
prints "all events, one of a type nobody knows" "12" \
	bash -c "'$vitrine' print -j -e event records.fxt | jq -s length"
prints "category and name" "2000000000" times -e cat:instant records.fxt
prints "a category" "2000000000" times -e 'cat:*' records.fxt
prints "a name" "2201000000" times -e '*:large' records.fxt
prints "thread by number, on either side" "2102000000 2200000000" \
	times -t 102 -e switch -e log records.fxt
prints "thread by name" "2102000000 2200000000" times -t näme records.fxt
prints "a part of a name is none" "" times -t orker vitrine.fxt
prints "process by number" "5000 5010" times -p 100 --to 5010ns -c 0 vitrine.fxt
prints "process by name" "5000 5010" times -p main --to 5010ns -c 0 vitrine.fxt
prints "process from the names" "2102000000" times -p 100 -e switch --from 2.102 records.fxt
prints "thread and process of one thread" "" times -t idle -p main vitrine.fxt
prints "objects of a process" '"worker"
"main"
"worker"
"main"' bash -c "'$vitrine' print -a --json -p 100 -e object --to 5000ns vitrine.fxt | jq .name"
for what in --cpu=x --cpu=1- --cpu=2-1 '--cpu=0,' --event=nonsense --thread= \
	    --from=1.0000000001 --from=-1 --to=5s --to=99999999999999; do
	refuses "$what" "$vitrine" print "$what" vitrine.fxt
done

echo "1..$tests"
exit $failed

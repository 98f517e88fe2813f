#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine diff' of traces: what changed is found, and noise is not.
# The traces are of four workers whose waits vary at random.

. "$(dirname "$0")/command" || exit

pairs=20	# pairs of traces; in one of them, chance may have it otherwise

# load NAME SEED PERCENT: make a trace in which worker-2 waits so much longer
load()
{
	"$mkfxt" load "$2" "$3" >"$1"
}

# changed EXPECTED FILTER ARGUMENT...: what jq says of the differences is EXPECTED
changed()
{
	json "$1" "$2" diff --json "${@:3}"
}

# differing EXPECTED FILTER NAME: jq says EXPECTED of the traces "same" and NAME, in all pairs but one
differing()
{
	local seed wrong=0

	for ((seed = 1; seed <= pairs; seed++)); do
		changed "$1" "$2" "same$seed.fxt" "$3$seed.fxt" || wrong=$((wrong + 1))
	done
	echo "$wrong of $pairs pairs are otherwise"
	[ "$wrong" -le 1 ]
}

for ((seed = 1; seed <= pairs; seed++)); do
	load same$seed.fxt $seed 0
	load other$seed.fxt $((100 + seed)) 0
	load longer$seed.fxt $((200 + seed)) 5
done
load much.fxt 301 20

check "the traces are sound" "$vitrine" check same1.fxt
check "two recordings of one workload: no difference" differing 0 '.changed | length' other
check "5 % more waiting: the thread is named" differing '["worker-2"]' '[.changed[].thread] | unique' longer
"$mkfxt" steady 0 0 >steady.fxt
for more in "3 0" "3 3" "40 0" "0 200"; do
	# shellcheck disable=SC2086 # split into words on purpose
	"$mkfxt" steady $more >"steady${more/ /-}.fxt"
done
check "some nanoseconds more in each wait: no difference" "$vitrine" diff steady.fxt steady3-0.fxt
check "some nanoseconds more and three long waits: no difference" "$vitrine" diff steady.fxt steady3-3.fxt
check "one percent more in each wait is a difference" changed '["blocked"]' '[.changed[].what]' \
	steady.fxt steady40-0.fxt
check "many long waits are a difference" changed '["blocked"]' '[.changed[].what]' steady.fxt steady0-200.fxt
check "the same file twice is no difference" exits 0 "" diff same1.fxt same1.fxt
check "the same file twice: what was compared" grep -q "^No difference: 28 groups .* 4 of 4 threads" out
command_into_files diff same1.fxt much.fxt
check "20 % more: exit status as diff" test "$(cat status)" = 1
check "in words" filtered "\
COST             MEDIAN                TIMES             P  PROCESS/THREAD
+369.6ms    1.003ms -> 1.198ms     1499 -> 1499    9.1e-76  load/worker-2 blocked
+207.4ms    987.0us -> 1.210ms      749 -> 749     8.1e-47  load/worker-2 blocked in read" \
	"head -n 3" diff same1.fxt much.fxt
check "what costs most comes first" changed true '[.changed[].cost_ns | fabs] | . == (sort | reverse)' same1.fxt much.fxt
check "times blocked are compared by system call" changed '["futex","read"]' \
	'[.changed[] | select(.what == "blocked in").cause] | sort' same1.fxt much.fxt
check "times blocked are compared by stack" changed '[true,true]' \
	'[.changed[] | select(.what == "blocked at").cause | test("mutex_lock|pipe_read")]' same1.fxt much.fxt
check "the other way round it saves as much" prints true jq -s '.[0] as $a | .[1] as $b |
	($a.changed[0].cost_ns + $b.changed[0].cost_ns | fabs) < 1000 and $b.changed[0].cost_ns < 0' \
	<("$vitrine" diff -j same1.fxt much.fxt) <("$vitrine" diff -j much.fxt same1.fxt)
check "cost is the difference of the sums, as the numbers are the same" changed true \
	'.changed[0] | (.cost_ns - (.after.sum_ns - .before.sum_ns) | fabs) < 1000' same1.fxt much.fxt
check "several files a side" changed '[[5996,2998],["worker-2"]]' \
	'[[.changed[0] | .before.count, .after.count], ([.changed[].thread] | unique)]' \
	same1.fxt same2.fxt same3.fxt same4.fxt --with longer1.fxt longer2.fxt
zstd -q same1.fxt much.fxt
check "compressed ones" same <("$vitrine" diff same1.fxt much.fxt) <("$vitrine" diff same1.fxt.zst much.fxt.zst)
check "traces from standard input" same <("$vitrine" diff same1.fxt much.fxt) \
	<("$vitrine" diff - --with much.fxt <same1.fxt)
traces disk
check "with less than eight waits, nothing is compared" json 0 .compared diff -j disk.fxt disk.fxt
check "one trace" refused "expected two" diff same1.fxt
check "three traces" refused "expected two" diff same1.fxt same2.fxt same3.fxt
check "nothing before --with" refused "both sides" diff --with same1.fxt
check "nothing after --with" refused "both sides" diff same1.fxt --with
check "one of two cannot be read" exits 3 "absent.fxt: cannot open" diff same1.fxt absent.fxt
head -c 100000 same1.fxt | tail -c 50000 >torn.fxt
check "one of two is damaged" refuses 3 torn.fxt "$vitrine" diff same1.fxt torn.fxt

plan

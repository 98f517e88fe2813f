#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest: metrics of every tree of a busy machine, repeatedly, for
# selftests/qemu/promtool on the host.

# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
. "$VITRINE_SELFTESTS/lib.sh" || exit

# All metrics, five times.
rounds()
{
	local i

	for i in 1 2 3 4 5; do
		vitrine metrics >"round-$i.prom" || return
	done
}

# counted FILE: print all samples of counters, sorted by name
counted()
{
	grep '^vitrine_[a-z0-9_]*_total{' "$1" | sed 's/\(.*\) /\1\t/' | LC_ALL=C sort
}

# The series of a thread or a module may disappear; those that remain never decrease.
counters_grow()
{
	LC_ALL=C join -t $'\t' <(counted round-1.prom) <(counted round-5.prom) |
	awk -F '\t' '$3 < $2 { print; bad = 1 }
		     $3 > $2 { grew++ }
		     END { print grew + 0, "of", NR, "counters grew"; exit bad || !grew }'
}

has_each_tree()
{
	local tree

	for tree in "$INSPECT"/*.inspect; do
		tree=$(basename "$tree" .inspect)
		grep -q "{tree=\"$tree\"[,}]" round-5.prom || { echo "nothing of $tree"; return 1; }
	done
}

load
"$WORKLOAD" crowd 24 10000000 >/dev/null &
crowd=$!
check "metrics of all trees under load" rounds
check "of each tree some" has_each_tree
check "counters do not go back, and some grow" counters_grow
check "a CPU's time, in seconds" grep -qE \
	'^vitrine_system_cpu_user_seconds_total\{tree="system",cpu="0"\} [0-9.]+$' round-5.prom
check "what the recorder wrote" grep -qE \
	'^vitrine_trace_cpu_records_total\{tree="vitrine",cpu="0"\} [1-9]' round-5.prom
check "into a file" vitrine metrics --textfile file.prom
check "for others to read" test "$(stat -c %a file.prom)" = 644
check "busy to the end" kill $crowd
wait $crowd
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The cost of the calls of a publisher, in instructions, and of values, in bytes. Runs in
# a guest whose clock counts instructions (selftests/qemu/run --icount). The module bench
# measures; this script checks the limits.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit
disruptive "caches are dropped"

declare -A cost

# at_most ROW LIMIT: a call costs at most LIMIT instructions
at_most()
{
	local hundredths=${cost[$1]:-}

	[ -n "$hundredths" ] || { echo "no row $1"; return 1; }
	within_limit 100 "$hundredths" $(($2 * 100))
}

# alike ROW...: the most expensive row costs at most 1.2 times as much as the cheapest
alike()
{
	local row least=999999999 most=0

	for row; do
		[ "${cost[$row]:-0}" -gt 0 ] || { echo "no row $row"; return 1; }
		[ "${cost[$row]}" -ge "$least" ] || least=${cost[$row]}
		[ "${cost[$row]}" -le "$most" ] || most=${cost[$row]}
	done
	within 0 $((most * 10)) $((least * 12))
}

# bytes_of_memory: memory that the kernel uses, without reclaimable memory and without the
# per-CPU lists of free pages
bytes_of_memory()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk -v page=4096 '
		$1 == "MemTotal:" { used += $2 * 1024 }
		$1 == "MemFree:" { used -= $2 * 1024 }
		$1 == "count:" { used -= $2 * page }
		END { printf "%d", used }' /proc/meminfo /proc/zoneinfo
}

load
dmesg -C
insmod "$VITRINE_MODULES/bench.ko" || exit 1
rmmod bench
insmod "$VITRINE_MODULES/bench_optional.ko" || exit 1
rmmod bench_optional
# Each line is "bench: NAME INSTRUCTIONS.HUNDREDTHS".
while read -r name number; do
	cost[$name]=$((10#${number/./}))
	printf '# %-28s %8s instructions\n' "$name" "$number"
done < <(dmesg | sed -n 's/^.*bench: \([a-z0-9_]* [0-9]*\.[0-9]*\)$/\1/p')
within 1 "${cost[uint_add]:-0}" 100000 >/dev/null ||
	skip "an addition takes ${cost[uint_add]:-no} hundredths of a ns: not a guest that counts instructions"

check "uint set: at most 60" at_most uint_set 60
check "uint add: at most 65" at_most uint_add 65
check "per-CPU counter add: at most 15" at_most percpu_add 15
check "per-CPU counter add in a driver that works without vitrine: at most 20" at_most optional_percpu_add 20
check "the same without vitrine: at most 5" at_most absent_percpu_add 5
for row in uint_linear uint_linear_odd int_linear uint_exponential int_exponential \
	percpu_linear percpu_exponential; do
	check "$row histogram insert: at most 84" at_most "${row}_insert" 84
done
check "a decimal histogram's insert: at most 134" at_most uint_exponential_10_insert 134
for row in node_100 node_100000 node_holes; do
	check "$row, created and deleted: at most 700" at_most "$row" 700
done
check "a node costs as much among 100 nodes, among 100,000, or with holes" alike node_100 node_100000 node_holes
check "a new name: at most 1300" at_most node_new_100000 1300
check "a node with a new name costs as much among 100, among 100,000, or with holes" alike node_new_100 node_new_100000 node_new_holes

# Memory of the tree's file and of everything that belongs to it.
before=$(bytes_of_memory)
check "100,000 numbers of 1,000 names are made" insmod "$VITRINE_MODULES/bench.ko" memory=1
taken=$(($(bytes_of_memory) - before))
echo "# 100,000 numbers of 1,000 names take $((taken / 1000)) bytes a hundred"
check "each takes at most 40 bytes, all included" within_limit 1600000 $taken 4000000 100000
rmmod bench

# All that a tree takes, its file in debugfs included.
before=$(bytes_of_memory)
check "1,000 trees of ten values are made" insmod "$VITRINE_MODULES/bench.ko" trees=1000
taken=$(($(bytes_of_memory) - before))
echo "# a tree of ten values takes $((taken / 1000)) bytes"
check "a tree of ten values takes at most 8 KiB, all included" within 4096000 $taken 8192000
rmmod bench

finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A publisher creates values while it holds a lock of the page allocator: it does not
# deadlock. Values that do not fit into the reserve are counted, and the reserve is refilled.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

nr=10000

load enable=0
insmod "$VITRINE_MODULES/locked.ko" nr=$nr || skip "this kernel has no tracepoint under the lock"

# Pages that are freed and allocated again pass through the free lists.
check "values are created with the zone locked" until_true eval '
	head -c 64M /dev/zero | tail -c 32M >/dev/null
	[ "$(</sys/module/locked/parameters/created)" = "$nr" ]'
check "each of them is in the tree or counted" prints $nr \
	value vitrine '.root.trees.locked | .values + .failed'
# Two pages have room for 512 values.
check "the reserve was refilled" test "$(value vitrine .root.trees.locked.values)" -gt 1024
check "the tree is sound" vitrine check "$INSPECT/locked.inspect"
check "unload" rmmod locked

finish

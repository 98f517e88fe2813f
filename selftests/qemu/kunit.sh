#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest whose kernel has KUnit: load the module with its suites, print their
# results, and unload it. The guest checks for leaks afterwards.

results=/sys/kernel/debug/kunit

insmod "$VITRINE_KUNIT_KO" || { echo "Bail out! the module with the suites does not load"; exit 1; }

# The suites have run when insmod returns; debugfs shows their results while the module is
# loaded.
for suite in "$results"/vitrine_*; do
	[ -e "$suite/results" ] || { echo "Bail out! no suite of ours in $results"; exit 1; }
	cat "$suite/results"
done
rmmod vitrine || { echo "Bail out! the module with the suites does not unload"; exit 1; }

echo "KTAP version 1"
echo "1..1"
if insmod "$VITRINE_KO" && sleep 1 && rmmod vitrine; then
	echo "ok 1 vitrine loads, records and unloads"
else
	echo "not ok 1 vitrine loads, records and unloads"
fi

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: selftests/qemu/run --kernel KERNEL -- qemu/kselftest.sh [COLLECTION|TEST]...
# Run the tests of each COLLECTION, and each TEST, in a guest, with the kernel's runner, which nests
# the results of each test behind "# ". Without arguments, run the collection "vitrine".
# selftests/Makefile lists the collections.

[ "${1:-}" != --help ] || { sed -n '4,/^$/s/^# \{0,1\}//p' "$0"; exit; }
cd "$VITRINE_SELFTESTS/.." || exit
for name in "${@:-vitrine}"; do
	if grep -q "^$name:" kselftest-list.txt; then
		chosen+=(-c "$name")
	else
		chosen+=(-t "$(grep ":$name\$" kselftest-list.txt || echo "$name")")
	fi
done
# A process that a test leaves behind may hold the output open, so wait for the runner alone.
: >/run/results
./run_kselftest.sh "${chosen[@]}" </dev/null >>/run/results &
# The messages of the kernel name the test, too.
tail -n +1 -s 0.2 -f --pid=$! /run/results | tee >(sed -un 's/^# selftests: /selftest: /p' >/dev/kmsg)
! grep -q '^not ok' /run/results

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest: run selftests with the kernel's runner, which nests the results of each
# test behind "# ".

usage()
{
	cat <<USAGE
Usage: selftests/qemu/run --kernel KERNEL -- qemu/kselftest.sh [COLLECTION|TEST]...
Run the tests of each COLLECTION, and each TEST. Without arguments, run the collection
"vitrine". selftests/Makefile lists the collections.
USAGE
}

[ "${1:-}" != --help ] || { usage; exit; }
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

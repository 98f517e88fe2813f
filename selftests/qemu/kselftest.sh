#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest: run all selftests, or those given, one after the other, as TAP.
# The results of a test are nested behind "# ", as by the kselftest runner.

usage()
{
	cat <<USAGE
Usage: selftests/qemu/run --kernel KERNEL -- qemu/kselftest.sh [--race|TEST...]
Run every selftest but those named *_race, or only those (which is for a guest
with --parallel), or each TEST. A test ends with 0 (passed), 4 (skipped), or
anything else (failed). Whoever boots the guest sees to it that none hangs.
USAGE
}

[ $# = 0 ] || [ "$1" != --help ] || { usage; exit; }
cd "$VITRINE_SELFTESTS" || exit
case ${1:-} in
'')	mapfile -t tests < <(grep -v '_race\b' kselftest-list.txt) ;;
--race)	mapfile -t tests < <(grep '_race\b' kselftest-list.txt) ;;
*)	tests=("$@") ;;
esac
bad=0

# between_tests: unload what a test has left loaded
between_tests()
{
	for module in bench fire publisher lazy retained events swap_alpha swap_bravo vitrine; do
		! grep -q "^$module " /proc/modules || rmmod $module
	done
}

echo "TAP version 13"
echo "1..${#tests[@]}"
for ((nr = 1; nr <= ${#tests[@]}; nr++)); do
	name=${tests[nr - 1]}
	echo "selftest: $name" >/dev/kmsg
	SECONDS=0
	"./$name" 2>&1 </dev/null | sed -u 's/^/# /'
	status=${PIPESTATUS[0]}
	case $status in
	0)	echo "ok $nr $name # $SECONDS s" ;;
	4)	echo "ok $nr $name # SKIP" ;;
	*)	echo "not ok $nr $name # status $status, $SECONDS s"; bad=1 ;;
	esac
	between_tests
done
exit $bad

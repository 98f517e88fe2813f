#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest: record under load, then panic, or oops if the argument says so. With
# selftests/qemu/run --dump, for recover.sh.

set -e
insmod "$VITRINE_KO" clock=local buffer_kb=256 subbuf_kb=16
"$VITRINE_SELFTESTS/workload" crowd 20 100000000 >/dev/null &
"$VITRINE_SELFTESTS/workload" crowd 20 3000
# Lazy trees, which exist while they are open.
exec 5</sys/kernel/debug/vitrine/inspect/system.inspect
exec 6</sys/kernel/debug/vitrine/inspect/vitrine.inspect
# Leave an earlier session, whose rings are freed, and a copy of the current one.
echo 512 >/sys/kernel/debug/vitrine/trace/buffer_kb
"$VITRINE_SELFTESTS/workload" crowd 20 3000
cat /sys/kernel/debug/vitrine/trace/trace.fxt >/tmp/copy.fxt
vitrine check /tmp/copy.fxt
if [ "${1:-panic}" = oops ]; then
	insmod "$VITRINE_MODULES/events.ko"
	echo oops >/sys/module/events/parameters/run
fi
echo c >/proc/sysrq-trigger

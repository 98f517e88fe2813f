#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest: record under load, then panic. With selftests/qemu/run --dump, for
# recover.sh.

set -e
insmod "$VITRINE_KO" clock=local buffer_kb=256 subbuf_kb=16
"$VITRINE_SELFTESTS/workload" crowd 20 100000000 >/dev/null &
"$VITRINE_SELFTESTS/workload" crowd 20 3000
# An earlier session, whose rings are free again, and a copy of what is there.
echo 512 >/sys/kernel/debug/vitrine/trace/buffer_kb
"$VITRINE_SELFTESTS/workload" crowd 20 3000
cat /sys/kernel/debug/vitrine/trace/trace.fxt >/tmp/copy.fxt
vitrine check /tmp/copy.fxt
echo c >/proc/sysrq-trigger

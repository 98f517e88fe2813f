#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest with trace-cmd: record its kernel five times, for
# selftests/tools/trace_cmd.sh on the host. Leaves one file each in $OUT:
#
#   all.dat     switches, wakeups, interrupts, system calls and more, with a mark
#   lossy.dat   switches and wakeups, with buffers so small that many are lost
#   packed.dat  the newer file format, compressed, with another clock and another buffer:
#               switches, and wakeups when they are complete
#   calls.dat   system calls only, so that only a list contains the names of the threads
#   cycles.dat  with a clock that does not count nanoseconds
#
# selftests/golden/trace-cmd.tar.xz was made from its output:
#
#   selftests/qemu/run --kernel 6.1 --bring workload --with trace-cmd --out DIR \
#	-- selftests/qemu/trace_cmd_record.sh
#   tar -C DIR -cJf selftests/golden/trace-cmd.tar.xz all.dat lossy.dat packed.dat \
#	calls.dat cycles.dat

set -eu

workload=/vitrine/bin/workload

# The kernel's symbols would be most of each file.
mount --bind /dev/null /proc/kallsyms

trace-cmd record -o "$OUT/all.dat" --file-version 6 -C mono -e sched -e irq -e irq_vectors -e raw_syscalls \
	-e syscalls:sys_enter_read -e syscalls:sys_exit_read -e syscalls:sys_enter_write -e syscalls:sys_exit_write \
	-e syscalls:sys_enter_openat -e syscalls:sys_exit_openat -e timer:timer_start -e task \
	sh -c "$workload crowd 4 10; echo mark >/sys/kernel/tracing/trace_marker; cat /proc/version"
trace-cmd record -o "$OUT/lossy.dat" --file-version 6 -b 8 -e sched_switch -e sched_waking \
	"$workload" crowd 8 400
trace-cmd record -o "$OUT/packed.dat" --file-version 7 -C boot -e sched_switch -e sched_wakeup -e sched_wakeup_new \
	-B other -e sched_switch "$workload" crowd 8 20
trace-cmd record -o "$OUT/calls.dat" --file-version 6 -e syscalls:sys_enter_openat -e syscalls:sys_exit_openat \
	cat /proc/version
trace-cmd record -o "$OUT/cycles.dat" --file-version 6 -C x86-tsc -e sched_switch true

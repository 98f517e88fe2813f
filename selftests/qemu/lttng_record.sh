#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest with LTTng: record its kernel three times over, for selftests/qemu/lttng.sh
# to read on the host. Leaves in $OUT a trace a session:
#
#   switches   switches, wakeups and forks, of forty threads on all CPUs
#   all        every event and system call there is, with who it was as context
#   lossy      the same into buffers so small that much is discarded
#
# Its argument is how often the threads pass their bytes on: 2000, or 60 to make
# selftests/golden/lttng.tar.xz, of the first and the last.

set -eu

workload=/vitrine/bin/workload
hops=${1:-2000}

# session NAME CHANNEL-OPTION...: a session whose kernel channel is "kernel"
session()
{
	local name=$1

	shift
	lttng create "$name" --output="$OUT/$name"
	lttng enable-channel --kernel "$@" kernel
}

while read -r module; do
	insmod "/vitrine/lttng/$module"
done </vitrine/lttng/order
# What else it would load it finds loaded.
lttng-sessiond --daemonize --kmod-probes=sched

session switches --subbuf-size=1M --num-subbuf=8
lttng enable-event --kernel --channel=kernel 'sched_*'
lttng start
$workload crowd 40 "$hops"
lttng destroy

session all --subbuf-size=2M --num-subbuf=8
lttng enable-event --kernel --channel=kernel --all
lttng add-context --kernel --type=pid --type=tid --type=procname
lttng start
$workload crowd 4 $((hops / 20))
find /usr/lib >/dev/null
dd if=/dev/vda of=/dev/null bs=1M count=1 iflag=direct status=none
lttng destroy

session lossy --discard --subbuf-size=4k --num-subbuf=2 --switch-timer=0
lttng enable-event --kernel --channel=kernel --all
lttng start
$workload crowd 40 $((hops / 10))
lttng destroy

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest with LTTng: record its kernel three times, for selftests/qemu/lttng.sh on
# the host. Leaves one trace per session in $OUT:
#
#   switches   switches, wakeups and forks, of forty threads on all CPUs
#   all        all events and system calls, with the thread as context
#   lossy      the same, with buffers so small that many events are discarded
#
# The argument is the number of bytes that each thread passes on: 2000, or 60 to make
# selftests/golden/lttng.tar.xz from the first and the last trace.

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
# Everything else that it would load is loaded already.
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

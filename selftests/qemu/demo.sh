#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest: record a thread that waits for a lock, whose holder syncs a slow disk;
# print why the thread waited, and draw the recording.

set -euo pipefail

# Longer than anything else takes in the guest, so that it is the longest wait.
disk_ms=1000	# that the disk takes to complete a request

# show COMMAND...: print the command, and run it
show()
{
	printf '\n$ %s\n' "$*" >&2
	"$@"
}

modprobe null_blk queue_mode=2 irqmode=2 completion_nsec=$((disk_ms * 1000000))
insmod "$VITRINE_KO"
show vitrine why -o trace.fxt -- workload lock /dev/nullb0 | tee answer
# The command that the finding about the waiter names.
read -ra command < <(sed -n 's/^ *longest .*, lock-waiter:[0-9]*: //p' answer)
show "${command[@]}"
vitrine timeline trace.fxt -o timeline.html
vitrine flame trace.fxt -o flame.html
cp /sys/kernel/debug/vitrine/inspect/system.inspect .
chmod 644 system.inspect

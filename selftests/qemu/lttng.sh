#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs on this machine: LTTng records the kernel of a guest, and the output of babeltrace2
# is compared with that of `vitrine convert'; see selftests/tools/lttng.sh.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

make -s -C "$top/tools" O="$build/tools" all >&2
out=$top/build/qemu/lttng

"${VITRINE_RUN:-$qemu_dir/run}" --kernel 6.1 --bring lttng,workload --with lttng-tools \
	--out "$out" --timeout 300 -- "$qemu_dir/lttng_record.sh" "$@" >"$top/build/log/lttng-guest.log" 2>&1 || {
	tail -n 20 "$top/build/log/lttng-guest.log"
	exit 1
}
"$top/selftests/tools/lttng.sh" "$build/tools/vitrine" "$build" "$out"

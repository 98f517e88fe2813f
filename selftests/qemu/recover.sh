#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs on this machine: a guest panics, once by request and once by an oops, its memory is
# dumped in both formats, and `vitrine recover' finds the trace up to the panic, and the
# trees.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

make -s -C "$top/tools" O="$build/tools" all >&2
vitrine=$build/tools/vitrine
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$(dirname "$0")/../tap.sh" || exit

# panicked DIR: print the time at which the kernel began to report the panic
panicked()
{
	sed -nE 's/^\[ *([0-9.]+)\] (Kernel panic|BUG: ).*/\1/p' "$1/console.log" | head -n 1
}

# within_panic DIR: the trace ends not earlier than 1 ms before the panic, and not later
# than the last message of the kernel. Both clocks are local_clock(), in seconds.
within_panic()
{
	local begin end last

	begin=$(panicked "$1")
	end=$(sed -nE 's/^\[ *([0-9.]+)\] ---\[ end Kernel panic.*/\1/p' "$1/console.log" | head -n 1)
	last=$("$vitrine" print "$1/last.fxt" | tail -n 1)
	echo "panic from $begin to $end; last record: $last"
	last=$(sed -nE 's/^ *([0-9.]+).*/\1/p' <<<"$last")
	awk "BEGIN { exit !($last >= $begin - 0.001 && $last <= $end) }"
}

# There are switches until shortly before the panic, not only its event.
recent_switches()
{
	local begin nr

	begin=$(panicked "$1")
	nr=$("$vitrine" print "$1/last.fxt" | awk -v begin="$begin" '$1 >= begin - 0.1' | wc -l)
	echo "$nr records in the last 100 ms"
	[ "$nr" -ge 10 ]
}

recovered()
{
	"$vitrine" recover -o "$1/last.fxt" -d "$1" "$1/memory" >"$1/recover.log" 2>&1
	cat "$1/recover.log"
	grep -q 'of session 2,' "$1/recover.log"
}

for format in raw elf; do
	case $format in
	raw)	cause=panic ;;
	elf)	cause=oops ;;
	esac
	dir=$top/build/qemu/recover-$format
	check "$format: $cause and dump" "${VITRINE_RUN:-$qemu_dir/run}" --kernel 6.12 --mem 384 --dump $format \
		--out "$dir" --timeout 120 -- "$qemu_dir/panic.sh" "$cause"
	rm -f "$dir"/*.inspect "$dir/last.fxt"
	check "$format: recover the last session" recovered "$dir"
	check "$format: the trace is sound" "$vitrine" check "$dir/last.fxt"
	check "$format: it ends with the panic" within_panic "$dir"
	check "$format: it goes up to the panic" recent_switches "$dir"
	# At an oops, another CPU may go on for a while.
	check "$format: it says why" sh -c \
		"'$vitrine' print '$dir/last.fxt' | grep -q 'frozen.*cause=.$cause'"
	check "$format: the trees are sound" "$vitrine" check "$dir/vitrine.inspect" "$dir/system.inspect"
	rm -f "$dir/memory"
done
plan

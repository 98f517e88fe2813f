#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Under lockdown, debugfs refuses files that could be mapped or written. Files that can
# only be read remain accessible, and the command explains why others are not. Lockdown for
# confidentiality closes all files of trace/, as it closes tracefs. A level can only be
# raised, and no module can be loaded afterwards.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit
disruptive "the kernel is locked down until it is booted again"

lockdown=/sys/kernel/security/lockdown
[ -w "$lockdown" ] || skip "this kernel has no lockdown"

load
# Without this, debugfs refuses the file because it can be written.
chmod 0400 "$TRACE/mode" "$TRACE/stacks"
exec 5<"$TRACE/trace.fxt" 6<"$INSPECT/system.inspect" 7<"$TRACE/mode"
echo integrity >"$lockdown"

check "a tree with mmap is refused" fails cat "$INSPECT/system.inspect"
check "a ring is refused" fails cat "$TRACE/cpu0"
check "a setting is refused" fails cat "$TRACE/enable"
check "the archive can be read, and is sound" rings_are_sound
check "a setting that can only be read is readable" cat "$TRACE/mode"
check "words that can only be read are readable" cat "$TRACE/stacks"
check "the cost can be measured" cat "$TRACE/cost"
check "show says why" refuses 3 lockdown vitrine show system
check "record says why" refuses 3 lockdown vitrine record -o /tmp/none.fxt -- true

echo confidentiality >"$lockdown"

for file in trace.fxt mode stacks cost; do
	check "confidentiality: $file is refused" refuses 1 "not permitted" \
		sh -c 'cat "$0" >/dev/null' "$TRACE/$file"
done
check "an archive that is open stays" eval 'cat <&5 | vitrine check -'
check "a tree that is open stays" eval 'cat <&6 | vitrine check -'
check "a setting that is open stays" eval 'cat <&7'
exec 5<&- 6<&- 7<&-

finish

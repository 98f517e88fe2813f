#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Under lockdown, debugfs refuses files that could be mapped or written. Files that can
# only be read remain accessible, and the command explains why others are not.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

lockdown=/sys/kernel/security/lockdown
[ -w "$lockdown" ] || skip "this kernel has no lockdown"

load
echo integrity >"$lockdown"

check "a tree with mmap is refused" fails cat "$INSPECT/system.inspect"
check "a ring is refused" fails cat "$TRACE/cpu0"
check "a setting is refused" fails cat "$TRACE/enable"
check "the archive can be read" cp "$TRACE/trace.fxt" /tmp/lockdown.fxt
check "the archive is sound under lockdown" vitrine check /tmp/lockdown.fxt
check "show says why" refuses 3 lockdown vitrine show system
check "record says why" refuses 3 lockdown vitrine record -o /tmp/none.fxt -- true

finish

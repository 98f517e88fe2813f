#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The reader printed in Documentation/mmap.rst does what that page says.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

load
"$WORKLOAD" crowd 20 20000 >/dev/null

copies()
{
	"$VITRINE_SELFTESTS/reader" "$1" >"$2" && vitrine check "$2"
}

check "the program copies a tree" copies "$INSPECT/system.inspect" /tmp/system.inspect
check "the copy of the tree has its values" \
	test "$(value /tmp/system.inspect .root.release)" = "$(uname -r)"
check "the program copies a ring" copies "$TRACE/cpu0" /tmp/cpu0.fxt
check "the copy of the ring has records" sh -c 'vitrine print /tmp/cpu0.fxt | grep -q crowd-'

while_edited()
{
	local i

	for ((i = 0; i < 10; i++)); do
		copies "$INSPECT/vitrine.inspect" /tmp/vitrine.inspect || return
	done
}

check "copies a tree while it is edited" while_edited

finish

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

check "copies a tree" copies $INSPECT/system.inspect /tmp/system.inspect
check "which has what the tree has" \
	test "$(value /tmp/system.inspect .root.release)" = "$(uname -r)"
check "copies a ring" copies $TRACE/cpu0 /tmp/cpu0.fxt
check "which has records" sh -c 'vitrine print /tmp/cpu0.fxt | grep -q crowd-'
check "copies a tree while it is edited" \
	sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do
		'$VITRINE_SELFTESTS/reader' $INSPECT/vitrine.inspect >/tmp/vitrine.inspect || exit
		vitrine check /tmp/vitrine.inspect || exit
	done"

finish

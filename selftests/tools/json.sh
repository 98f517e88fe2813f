#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What is printed as JSON is what another parser takes for the same: hostile names and
# texts, and all kinds of values, of trees and of traces.
#
#   json.sh VITRINE WORDS DIR

# shellcheck source-path=SCRIPTDIR source=formats
. "$(dirname "$0")/formats"
here=$(cd "$(dirname "$0")" && pwd)

cases()
{
	"$here/json_cases.py" "$@"
}

# Of text and JSON, the library's share is the same.
is_fast()
{
	local text json

	text=$(least print "$1")
	json=$(least print --json "$1")
	echo "text $text ms, JSON $json ms"
	[ "$json" -lt $((6 * text)) ]
}

cd "$dir" || exit 1
touch err
echo "TAP version 13"
cases tree "$here/mktree.py" >cases.inspect
cases trace >cases.fxt

command_into_files show --json ./cases.inspect
cp out tree.json
check "a tree" ended 0
check "is as another parser reads it" cases compare-tree <tree.json

command_into_files print --json cases.fxt
cp out trace.json
check "a trace" ended 0
check "is as another parser reads it" cases compare-trace <trace.json

"$mkfxt" speed 200000 >speed.fxt
check "takes less than six times as long as text" is_fast speed.fxt

echo "1..$tests"
exit $failed

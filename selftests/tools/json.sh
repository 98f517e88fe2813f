#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Another parser reads the JSON of the command as intended: hostile names and texts, and
# all kinds of values, of trees and of traces.

# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit

cases()
{
	"$here/json_cases.py" "$@"
}

cases tree "$here/mktree.py" >cases.inspect
cases trace >cases.fxt

command_into_files show --json ./cases.inspect
cp out tree.json
check "a tree" ended 0
check "a tree is as another parser reads it" cases compare-tree <tree.json

command_into_files print --json cases.fxt
cp out trace.json
check "a trace" ended 0
check "a trace is as another parser reads it" cases compare-trace <trace.json

# ---- check ----

mkdir checked
for name in $("$mkfxt"); do
	"$mkfxt" "$name" >"checked/$name.fxt"
done
for file in "$here"/../golden/inspect/{,bad/}*.words; do
	"$words" "$file" >"checked/$(basename "$file" .words).inspect"
done
"$vitrine" check checked/* >check.text 2>check.errors
command_into_files check --json checked/*
check "check: faults" test "$(cat status)" = 1
check "check: the same errors" same check.errors err
cases check-text <out >check.json 2>err
check "check: as JSON, as much as in text" same check.text check.json
check "check: as many errors as in text" same <(sed 's/ offset 0x[0-9a-f]*://; s/;.*//' check.errors) <(sed 's/;.*//' err)
command_into_files check --json absent cases.fxt "$0"
check "check: files that cannot be checked" ended 3 "absent: cannot open" "json.sh: .*neither"
check "check: the error is in the place of the findings" test "$(jq -c 'map([.file, has("findings"), .error])' out)" = \
	"[[\"absent\",false,\"cannot open: No such file or directory\"],[\"cases.fxt\",true,null],[\"$0\",false,\"neither an Inspect file nor a Fuchsia trace\"]]"

plan

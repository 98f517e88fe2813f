#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Another parser reads the JSON of the command as intended: hostile names and texts, and
# all kinds of values, of trees and of traces.

. "$(dirname "$0")/command" || exit

cases=$here/json_cases.py
"$cases" tree "$here/mktree.py" >cases.inspect
"$cases" trace >cases.fxt
for kind in "tree show --json ./cases.inspect" "trace print --json cases.fxt"; do
	# shellcheck disable=SC2086 # split into words on purpose
	check "a ${kind%% *}" exits 0 "" ${kind#* }
	check "a ${kind%% *} is as another parser reads it" "$cases" "compare-${kind%% *}" <out
done

# ---- check ----

mkdir checked
# shellcheck disable=SC2046 # split into words on purpose
(cd checked && traces $("$mkfxt"))
for name in "$golden"/inspect/{,bad/}*.words; do
	name=${name#"$golden/inspect/"}
	golden_tree "${name%.words}" "checked/$(basename "$name" .words).inspect"
done
"$vitrine" check checked/* >check.text 2>check.errors
command_into_files check --json checked/*
check "check: faults" test "$(cat status)" = 1
check "check: the same errors" same check.errors err
"$cases" check-text <out >check.json 2>err
check "check: as JSON, as much as in text" same check.text check.json
check "check: as many errors as in text" same <(sed 's/ offset 0x[0-9a-f]*://; s/;.*//' check.errors) <(sed 's/;.*//' err)
command_into_files check --json absent cases.fxt "$0"
check "check: files that cannot be checked" ended 3 "absent: cannot open" "json.sh: .*neither"
check "check: the error is in the place of the findings" test "$(jq -c 'map([.file, has("findings"), .error])' out)" = \
	"[[\"absent\",false,\"cannot open: No such file or directory\"],[\"cases.fxt\",true,null],[\"$0\",false,\"neither an Inspect file nor a Fuchsia trace\"]]"

plan

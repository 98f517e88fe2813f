#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Golden Inspect files: the output of `vitrine' for each, compared byte by byte.
#
#   inspect.sh VITRINE DIR
#
# VITRINE is the command, and words.py makes the files. The expected JSON and outline of a good
# file are in the same directory. A bad file contains the expected results: each line "check:" is
# a fault that `vitrine check' reports, in this order; "check!" is its final error; "show:" is the
# error of `vitrine show'. Without a line "show:" the file can be shown, and its JSON may be in the
# same directory.

# shellcheck source-path=SCRIPTDIR/../tools source=command
. "$(dirname "$0")/../tools/command" || exit

# expect KEY FILE: print the lines of FILE that begin with KEY, without KEY
expect()
{
	sed -n "s/^$1 //p" "$2"
}

# status WHAT WANTED GOT: a test point; the exit status GOT is WANTED
status()
{
	check "$1" same <(echo "$2") <(echo "$3")
}

good()
{
	local name=$1 source=$golden/inspect/$1.words status

	"$vitrine" check "$name.inspect" >"$name.check" 2>&1
	status "$name: check exits with 0" 0 $?
	check "$name: check finds no fault" same \
		<(expect summary: "$source" | sed "s/^/$name.inspect: /") "$name.check"
	"$vitrine" show --json "$name.inspect" >"$name.json" 2>&1
	status "$name: show --json exits with 0" 0 $?
	check "$name: JSON" same "$golden/inspect/$name.json" "$name.json"
	"$vitrine" show "$name.inspect" >"$name.txt" 2>&1
	check "$name: outline" same "$golden/inspect/$name.txt" "$name.txt"
}

bad()
{
	local name=$1 source=$golden/inspect/bad/$1.words file status

	file=bad-$name.inspect
	"$words" "$source" >"$file"
	"$vitrine" check "$file" >"$file.check" 2>"$file.check.err"
	status "$name: check exits with 1" 1 $?
	check "$name: check names every fault" same \
		<(expect check: "$source" | sed "s/^/$file: /") \
		<(grep "^$file: offset " "$file.check")
	check "$name: check's error" same \
		<(expect check! "$source" | sed "s/^/vitrine: $file: /") \
		"$file.check.err"
	"$vitrine" show --json "$file" >"$file.json" 2>"$file.err"
	status=$?
	# Ignore the advice with which most errors end.
	check "$name: show's error" same \
		<(expect show: "$source" | sed "s/^/vitrine: $file: /") \
		<(sed "s/; run .vitrine check' to list every fault$//" "$file.err")
	if grep -q '^show:' "$source"; then
		status "$name: show exits with 1" 1 $status
		check "$name: show prints nothing else" same /dev/null "$file.json"
	else
		status "$name: show exits with 0" 0 $status
	fi
	[ ! -e "$golden/inspect/bad/$name.json" ] ||
		check "$name: JSON" same "$golden/inspect/bad/$name.json" "$file.json"
}

# Make all files first, because some have links to others.
for source in "$golden/inspect"/*.words; do
	"$words" "$source" >"$(basename "$source" .words).inspect"
done
for source in "$golden/inspect"/*.words; do
	good "$(basename "$source" .words)"
done
for source in "$golden/inspect"/bad/*.words; do
	bad "$(basename "$source" .words)"
done
plan

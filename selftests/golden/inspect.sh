#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Golden Inspect files: what `vitrine' makes of each, to the byte.
#
#   inspect.sh VITRINE WORDS DIR
#
# VITRINE is the command, WORDS the assembler built from words.c, DIR a place
# for the files. A good file has its JSON and its outline beside it. A bad one
# says within itself what is expected: each line "check:" a fault that
# `vitrine check' names, in that order; "check!" an error that it ends with;
# "show:" the error of `vitrine show', which shows the file if there is none: its
# JSON may stand beside it, too.

set -u
vitrine=$(realpath "$1")
words=$(realpath "$2")
dir=$3
here=$(cd "$(dirname "$0")" && pwd)/inspect
tests=0
failed=0

# point WHAT EXPECTED-FILE ACTUAL-FILE
point()
{
	local difference

	tests=$((tests + 1))
	if difference=$(diff -u "$2" "$3" 2>&1); then
		echo "ok $tests $1"
	else
		echo "not ok $tests $1"
		printf '%s\n' "$difference" | sed 's/^/# /'
		failed=1
	fi
}

# expect KEY FILE: the lines of FILE that begin so, without it
expect()
{
	sed -n "s/^$1 //p" "$2"
}

# status WHAT WANTED GOT
status()
{
	point "$1" <(echo "$2") <(echo "$3")
}

good()
{
	local name=$1 source=$here/$1.words status

	"$vitrine" check "$name.inspect" >"$name.check" 2>&1
	status "$name: check exits with 0" 0 $?
	point "$name: check finds no fault" \
		<(expect summary: "$source" | sed "s/^/$name.inspect: /") "$name.check"
	"$vitrine" show --json "$name.inspect" >"$name.json" 2>&1
	status "$name: show --json exits with 0" 0 $?
	point "$name: JSON" "$here/$name.json" "$name.json"
	"$vitrine" show "$name.inspect" >"$name.txt" 2>&1
	point "$name: outline" "$here/$name.txt" "$name.txt"
}

bad()
{
	local name=$1 source=$here/bad/$1.words file status

	file=bad-$name.inspect
	"$words" "$source" >"$file"
	"$vitrine" check "$file" >"$file.check" 2>"$file.check.err"
	status "$name: check exits with 1" 1 $?
	point "$name: check names every fault" \
		<(expect check: "$source" | sed "s/^/$file: /") \
		<(grep "^$file: offset " "$file.check")
	point "$name: check's error" \
		<(expect check! "$source" | sed "s/^/vitrine: $file: /") \
		"$file.check.err"
	"$vitrine" show --json "$file" >"$file.json" 2>"$file.err"
	status=$?
	# Advice is part of the line; most errors give the same.
	point "$name: show's error" \
		<(expect show: "$source" | sed "s/^/vitrine: $file: /") \
		<(sed "s/; .vitrine check' names every fault$//" "$file.err")
	if grep -q '^show:' "$source"; then
		status "$name: show exits with 1" 1 $status
		point "$name: show prints nothing else" /dev/null "$file.json"
	else
		status "$name: show exits with 0" 0 $status
	fi
	[ ! -e "$here/bad/$name.json" ] ||
		point "$name: JSON" "$here/bad/$name.json" "$file.json"
}

mkdir -p "$dir" && cd "$dir" || exit 1
echo "TAP version 13"
# All of them first: some have links to others.
for source in "$here"/*.words; do
	"$words" "$source" >"$(basename "$source" .words).inspect"
done
for source in "$here"/*.words; do
	good "$(basename "$source" .words)"
done
for source in "$here"/bad/*.words; do
	bad "$(basename "$source" .words)"
done
echo "1..$tests"
exit $failed

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Golden Inspect files: the output of `vitrine' for each, compared byte by byte.
#
#   inspect.sh VITRINE WORDS DIR
#
# VITRINE is the command, WORDS the assembler built from words.c, and DIR a directory for the
# files. The expected JSON and outline of a good file are in the same directory. A bad file
# contains the expected results: each line "check:" is a fault that `vitrine check' reports,
# in this order; "check!" is its final error; "show:" is the error of `vitrine show'. Without
# a line "show:" the file can be shown, and its JSON may be in the same directory.

set -u
vitrine=$(realpath "$1")
words=$(realpath "$2")
dir=$3
here=$(cd "$(dirname "$0")" && pwd)/inspect
tests=0
failed=0

# point WHAT EXPECTED-FILE ACTUAL-FILE: a test point; the files are identical
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

# expect KEY FILE: print the lines of FILE that begin with KEY, without KEY
expect()
{
	sed -n "s/^$1 //p" "$2"
}

# status WHAT WANTED GOT: a test point; the exit status GOT is WANTED
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
	# Ignore the advice with which most errors end.
	point "$name: show's error" \
		<(expect show: "$source" | sed "s/^/vitrine: $file: /") \
		<(sed "s/; run .vitrine check' to list every fault$//" "$file.err")
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
# Make all files first, because some have links to others.
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

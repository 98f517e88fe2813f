#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command's manual is complete: a page for each command, with each option.
#
#   manual.sh VITRINE WORDS DIR

set -u
vitrine=$(realpath "$1")
man=$(cd "$(dirname "$0")/../.." && pwd)/Documentation/man
tests=0
failed=0

# point WHAT COMMAND...: COMMAND succeeds
point()
{
	local what=$1 log

	shift
	tests=$((tests + 1))
	if log=$("$@" 2>&1); then
		echo "ok $tests $what"
	else
		echo "not ok $tests $what"
		printf '%s\n' "$log" | sed 's/^/# /'
		failed=1
	fi
}

# plain PAGE: its source as a reader has it
plain()
{
	sed -e 's/\\-/-/g' -e 's/\\f[A-Z]//g' "$1"
}

listed()
{
	grep -qx "\.B $1" "$man/vitrine.1" || { echo "not in COMMANDS of vitrine.1"; return 1; }
	sed -n '/^\.SH SEE ALSO/,$p' "$man/vitrine.1" | grep -F "vitrine-$1 (1)"
}

# documented COMMAND: each of its options is in its page; --help and --usage, which
# all have, need not be
documented()
{
	local option page=$man/vitrine-$1.1 status=0

	[ -s "$page" ] || { echo "no page $page"; return 1; }
	for option in $("$vitrine" "$1" --usage | grep -oE -- '--[a-z-]+' | grep -vxE -- '--(help|usage)'); do
		plain "$page" | grep -qE -- "(^|[^a-z-])$option([^a-z-]|$)" || {
			echo "$page: nothing on $option"
			status=1
		}
	done
	return "$status"
}

echo "TAP version 13"
for command in $("$vitrine" help | awk '/^  [a-z]/ { print $1 }'); do
	point "vitrine(1) has $command" listed "$command"
	point "vitrine-$command(1) has all its options" documented "$command"
done
[ "$tests" -gt 0 ] || failed=1
echo "1..$tests"
exit $failed

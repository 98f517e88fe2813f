#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The manual has a page for each command with all its options, and the help of each
# command is short: a summary, a line per option, and examples.

. "$(dirname "$0")/command" || exit
man=$top/Documentation/man

# plain PAGE: print the source of PAGE without font changes and escaped hyphens
plain()
{
	sed -e 's/\\-/-/g' -e 's/\\f[A-Z]//g' "$1"
}

# documented COMMAND: the page of COMMAND describes each of its options, except for --help
# and --usage, which all commands have
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

# summarised COMMAND: the summary has at most eight words, and is that of the manual page
summarised()
{
	local text

	text=$("$vitrine" help | sed -n "s/^  $1  *//p")
	echo "$text"
	[ "$(wc -w <<<"$text")" -le 8 ] &&
		plain "$man/vitrine-$1.1" | grep -qxF "vitrine-$1 - $text"
}

# helps COMMAND: --help has one line for each option, and ends with examples of COMMAND
helps()
{
	local help

	help=$("$vitrine" "$1" --help)
	! grep -E '^ {29}|.{80}' <<<"$help" &&
		sed -n '/^Examples:$/,$p' <<<"$help" |
		awk -v name="$1" 'NR > 1 && !/^  [a-z]/ { print "no example: " $0; bad = 1 }
				  $0 ~ "vitrine " name "( |$)" { nr++ }
				  END { exit bad || nr < 2 || NR > 4 }'
}

for command in $("$vitrine" help | awk '/^  [a-z]/ { print $1 }'); do
	check "vitrine(1) has $command among its commands" grep -qx "\.B $command" "$man/vitrine.1"
	check "vitrine(1) refers to the page of $command" \
		grep -F "vitrine-$command (1)" <(sed -n '/^\.SH SEE ALSO/,$p' "$man/vitrine.1")
	check "vitrine-$command(1) has all its options" documented "$command"
	check "$command: a summary of at most eight words, the same in its page" summarised "$command"
	check "$command --help: one line per option, then examples" helps "$command"
done
check "vitrine help lists commands" test "$KTAP_TESTNO" -gt 1
plan

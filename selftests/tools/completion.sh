#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Completion in bash: its functions are called as bash calls them, and the words that they
# offer are compared with the options that each command accepts and lists.

. "$(dirname "$0")/command" || exit

mkdir -p "$dir/vitrine/inspect" "$dir/folder"
touch vitrine/inspect/{system,sched,tasks}.inspect trace.fxt systematic

# shellcheck source=/dev/null
. "$top/tools/completion/vitrine"
# compopt fails outside of a completion; replace it.
compopt()
{
	:
}

# offers WORD...: print the completions of the last WORD, sorted, on one line
offers()
{
	COMP_WORDS=(vitrine "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_vitrine "$vitrine" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	printf '%s\n' "${COMPREPLY[@]}" | grep . | sort -u | paste -sd ' '
}

# is EXPECTED WORD...: the completions of the last WORD are EXPECTED
is()
{
	diff <(echo "$1") <(offers "${@:2}")
}

# Take the commands from `vitrine help', so that new ones are tested, too.
commands=$("$vitrine" help | awk '/^  [a-z]/ { print $1 }')
everything=$(printf '%s\n' "$commands" help --help --version | sort | paste -sd ' ')
check "all commands are offered" is "$everything" ''
check "a command is completed" is metrics met
check "help offers all commands" is "$(sort <<<"$commands" | paste -sd ' ')" help ''
check "help takes one" is '' help show ''

# accepted COMMAND: completion offers the same options as --usage lists, with "=" after those
# that have an argument
accepted()
{
	local usage long short

	usage=$("$vitrine" "$1" --usage | tr -s ' \n' ' ')
	long=$(grep -oE '\[--[a-z-]+(\[?=[^]]*\]?)?' <<<"$usage" | sed 's/^\[//; s/\[*=.*/=/')
	short=$(grep -oE '\[-[^] -][^] ]*' <<<"$usage" | sed 's/^\[-//' | grep -o . | sed 's/^/-/')
	is "$(printf '%s\n' "$long" "$short" | grep . | sort | paste -sd ' ')" "$1" -
}

for command in $commands; do
	check "$command: its options are offered" accepted "$command"
done

check "an option is completed" is --json show --j
check "one with an argument ends with =" is --output= record --ou
check "-o wants a file" is "trace.fxt" record -o tr
check "--output= wants a file" is "trace.fxt" record --output = tr
check "--output= with nothing behind it, too" is "folder systematic trace.fxt vitrine" \
	record --output =
check "a number is not made up" is '' record -t ''
check "show offers trees and files" is "folder sched system systematic tasks trace.fxt vitrine" \
	show ''
check "a tree is completed, or a file" is "system systematic" show sys
check "check offers files" is "trace.fxt" check tr
check "the argument after -- is a command" is "mkfifo" record -o x.fxt -- mkfif
check "the arguments of the command after -- are files" is "trace.fxt" record -o x.fxt -- cat tr

check "bash knows the function" grep -F -- '-F _vitrine' <(complete -p vitrine)

plan

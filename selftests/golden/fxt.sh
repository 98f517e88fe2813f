#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Golden Fuchsia traces: the output of `vitrine' for each, compared byte by byte.
#
#   fxt.sh VITRINE DIR
#
# VITRINE is the command, and mkfxt.py makes the traces that *.traces describe. In the directory
# of this script, fxt/NAME.check is the expected output of `vitrine check' for the trace NAME and
# fxt/NAME.print that of `vitrine print --all', with errors and exit codes.
#
#   UPDATE=1 fxt.sh ...	write those files anew; then read the difference

# shellcheck source-path=SCRIPTDIR/../tools source=command
. "$(dirname "$0")/../tools/command" || exit

# golden EXPECTED-FILE ACTUAL-FILE: the files are identical; with UPDATE, make them so
golden()
{
	[ -z "${UPDATE-}" ] || cp "$2" "$1"
	same "$1" "$2"
}

# run OUT ARGUMENT...: run vitrine; write its output, errors and exit code to OUT
run()
{
	"$vitrine" "${@:2}" >"$1" 2>"$1.err"
	echo "exit code $?" | cat "$1.err" - >>"$1"
}

for name in $("$mkfxt"); do
	"$mkfxt" "$name" >"$name.fxt"
	run "$name.check" check "$name.fxt"
	check "$name: check" golden "$golden/fxt/$name.check" "$name.check"
	run "$name.print" print --all "$name.fxt"
	# Those in the other byte order are compared with the same records below.
	[[ $name == big-endian* ]] ||
		check "$name: print" golden "$golden/fxt/$name.print" "$name.print"
done

# The same records as JSON, with one object per line, which jq can read.
run records.json print --all --json records.fxt
check "records: JSON" golden "$golden/fxt/records.json" records.json
check "records: JSON, a line each" same <(grep -c . records.print) \
	<(head -n -1 records.json | jq -s 'length + 1')

# A trace prints the same in both byte orders, and whether it is mapped or read.
check "big-endian: the same records" same records.print big-endian.print
check "big-endian-vitrine: the same records" same vitrine.print big-endian-vitrine.print
"$vitrine" print --all <(cat records.fxt) >pipe.print 2>&1
check "a pipe: the same records" same <(head -n -1 records.print) pipe.print

# Without --all: records with a time and lost records only, with times from the first one.
run relative.print print --relative vitrine.fxt
check "relative" golden "$golden/fxt/relative.print" relative.print
run relative-crowd.print print --relative crowd.fxt
check "relative, over a second" golden "$golden/fxt/relative-crowd.print" relative-crowd.print

# A truncated file has a fault, unless it ends at the end of a sub-buffer, but never makes
# the command crash.
cut_short()
{
	local bad=0 len status wanted whole

	whole=$(stat -c %s vitrine.fxt)
	for ((len = 0; len < whole; len += 12)); do
		head -c "$len" vitrine.fxt >cut.fxt
		"$vitrine" check cut.fxt >cut.check 2>&1
		status=$?
		case $len in
		864 | 1248) wanted=0 ;;
		*) wanted=1 ;;
		esac
		[ "$status" = "$wanted" ] || { bad=1; echo "check of $len bytes"; cat cut.check; }
		"$vitrine" print cut.fxt >cut.print 2>&1
		[ $? -le 1 ] || { bad=1; echo "print of $len bytes"; cat cut.print; }
	done
	return "$bad"
}
check "cut short" cut_short
plan

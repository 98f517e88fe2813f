# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Test points of all selftests in shell: results in the Test Anything Protocol, and the
# conditions that most tests check. A test sources this file, directly or with lib.sh,
# calls `check' for each test point, and ends with `plan'.

tests=0
failed=0

# explain_failure: print the state that the log of a failed test point also needs. Tests
# replace this function.
explain_failure()
{
	:
}

# check NAME COMMAND...: a test point, which passes if COMMAND succeeds. COMMAND runs in a
# subshell; its output is shown if it fails.
check()
{
	local what=$1 log

	shift
	tests=$((tests + 1))
	if log=$("$@" 2>&1); then
		echo "ok $tests $what"
	else
		echo "not ok $tests $what"
		{
			printf '%s\n' "$log" | tail -n 40
			explain_failure
		} 2>&1 | sed 's/^/# /'
		failed=1
	fi
}

# plan: print the number of test points; exit with 0 if all have passed
plan()
{
	echo "1..$tests"
	exit $failed
}

# skip REASON: end the test as skipped
skip()
{
	echo "1..0 # SKIP $*"
	exit 4
}

# fails COMMAND...: COMMAND fails
fails()
{
	! "$@"
}

# refuses STATUS WORDS COMMAND...: COMMAND fails with STATUS, and its output has WORDS
refuses()
{
	local wanted=$1 words=$2 said status

	shift 2
	said=$("$@" 2>&1)
	status=$?
	echo "status $status: $said"
	[ "$status" = "$wanted" ] && grep -qF -- "$words" <<<"$said"
}

# output_has WORDS COMMAND...: COMMAND succeeds, and its output has WORDS
output_has()
{
	refuses 0 "$@"
}

# prints EXPECTED COMMAND...: standard output and standard error of COMMAND are EXPECTED
prints()
{
	local expected=$1

	shift
	diff -u <(echo "$expected") <("$@" 2>&1)
}

# same A B: the files A and B are identical
same()
{
	diff -u "$1" "$2"
}

# until_true COMMAND...: wait until COMMAND succeeds, within the time of a loaded machine
until_true()
{
	local i

	for ((i = 0; i < 1200; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "# never: $*"
	return 1
}

# until_there PATTERN: wait until a file that matches PATTERN exists
until_there()
{
	until_true compgen -G "$1" >/dev/null
}

# until_lines NR FILE: wait until FILE has at least NR lines
until_lines()
{
	until_true awk -v nr="$1" 'END { exit NR < nr }' "$2"
}

echo "TAP version 13"

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Test points of all selftests in shell, printed by the kernel's ktap_helpers.sh, and the
# conditions that most tests check. A test sources this file, directly or with lib.sh,
# calls `check' for each test point, and ends with `plan'.

# The kernel's helpers are beside an installed collection; in the sources, KSELFTEST names them.
tap_dir=$(dirname "${BASH_SOURCE[0]}")
[ ! -e "$tap_dir/../kselftest" ] || KSELFTEST=$tap_dir/..
# shellcheck disable=SC1091
. "${KSELFTEST:=$("$tap_dir/qemu/kernel" selftests)}/kselftest/ktap_helpers.sh" || exit

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
	local what=$1 log -

	shift
	if log=$("$@" 2>&1); then
		# within_limit says so
		[[ $log != *"over the limit: "* ]] || sed -n 's/^over the limit: //p' <<<"$log" |
			while read -r excess; do
				echo "# over the limit: ${0##*/}: $what: $excess"
			done
		# The helpers print the name as words, which are not patterns of files.
		set -f
		ktap_test_pass "$what"
	else
		set -f
		ktap_test_fail "$what"
		{
			printf '%s\n' "$log" | tail -n 40
			explain_failure
		} 2>&1 | sed 's/^/# /'
	fi
}

# plan: print the number of test points; exit with 0 if all have passed
plan()
{
	ktap_set_plan $((KTAP_TESTNO - 1))
	ktap_finished
}

# skip REASON: end the test as skipped
skip()
{
	ktap_skip_all "$@"
	exit "$KSFT_SKIP"
}

# fails COMMAND...: COMMAND fails
fails()
{
	! "$@"
}

# refuses STATUS WORDS COMMAND...: COMMAND fails with STATUS, and its output has WORDS
refuses()
{
	local said status

	said=$("${@:3}" 2>&1)
	status=$?
	echo "status $status: $said"
	[ "$status" = "$1" ] && grep -qF -- "$2" <<<"$said"
}

# output_has WORDS COMMAND...: COMMAND succeeds, and its output has WORDS
output_has()
{
	refuses 0 "$@"
}

# within LOW VALUE HIGH
within()
{
	echo "$1 <= $2 <= $3"
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ]
}

# within_limit LEAST COST MOST [UNIT]: the same for a cost in UNITths, hundredths by default. With
# LENIENT=1, a cost may exceed MOST by less than a tenth: what changes from build to build is no
# fault, and "check" prints a warning.
within_limit()
{
	local excess

	within "$1" "$2" "$3" && return
	[ "${LENIENT:-}" = 1 ] && within "$1" "$2" $((($3 * 11 - 1) / 10)) || return
	excess=$(awk -v cost="$2" -v most="$3" -v unit="${4:-100}" \
		'BEGIN { printf "%.10g, limit %.10g", cost / unit, most / unit }')
	echo "over the limit: $excess"
}

# prints EXPECTED COMMAND...: standard output and standard error of COMMAND are EXPECTED
prints()
{
	diff -u <(echo "$1") <("${@:2}" 2>&1)
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

	for ((i = 0; i < 12 * ${SLOWDOWN:-100}; i++)); do
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

ktap_print_header

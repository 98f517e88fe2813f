# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# Helpers of the selftests in shell: TAP, the module, the published trees.

TRACE=/sys/kernel/debug/vitrine/trace
INSPECT=/sys/kernel/debug/vitrine/inspect
WORKLOAD=${VITRINE_SELFTESTS:-$(dirname "$0")}/workload
tests=0
failed=0

# check WHAT COMMAND...: a test point; the output of COMMAND is shown if it fails
check()
{
	local what=$1 log

	shift
	tests=$((tests + 1))
	if log=$("$@" 2>&1); then
		echo "ok $tests $what"
	else
		echo "not ok $tests $what"
		printf '%s\n' "$log" | tail -n 20 | sed 's/^/# /'
		failed=1
	fi
}

# refuses STATUS WORDS COMMAND...: COMMAND fails with STATUS and says WORDS
refuses()
{
	local wanted=$1 words=$2 said status

	shift 2
	said=$("$@" 2>&1)
	status=$?
	echo "status $status: $said"
	[ "$status" = "$wanted" ] && grep -qF -- "$words" <<<"$said"
}

# fails COMMAND...: COMMAND fails
fails()
{
	! "$@"
}

# within LOW VALUE HIGH
within()
{
	echo "$1 <= $2 <= $3"
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ]
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

# skip REASON: end the test as skipped
skip()
{
	echo "1..0 # SKIP $*"
	exit 4
}

load()
{
	insmod "$VITRINE_KO" "$@"
}

unload()
{
	! grep -q '^vitrine ' /proc/modules || rmmod vitrine
}

# finish: print the plan; exit with 0 if all test points have passed
finish()
{
	unload
	echo "1..$tests"
	exit $failed
}

# value TREE FILTER: print the result of jq for the JSON of a tree
value()
{
	vitrine show --json "$1" | jq -r "$2"
}

[ -n "${VITRINE_KO:-}" ] ||
	skip "set VITRINE_KO to the module, or use selftests/qemu/run"
echo "TAP version 13"
unload

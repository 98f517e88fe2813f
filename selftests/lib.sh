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

# retried COMMAND...: COMMAND succeeds in one of ten attempts; for what depends on when
# something else happens to run
retried()
{
	local i

	for ((i = 0; i < 10; i++)); do
		"$@" && return
	done
	echo "# not once: $*"
	return 1
}

# on_each_cpu COMMAND...: run COMMAND on all CPUs at the same time
on_each_cpu()
{
	local cpu pids=()

	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu "$@" >/dev/null &
		pids+=($!)
	done
	wait "${pids[@]}"
}

# count_switches: set $switches to the number of context switches since boot; without a
# process of its own, which would be among them
count_switches()
{
	local word nr

	while read -r word nr _; do
		[ "$word" != ctxt ] || switches=$nr
	done </proc/stat
}

# outrun RECORDER KB FILE: wait until the recorded command makes FILE. Then stop the recorder
# again and again, each time until there were more switches than fit into the rings, which
# have KB on each CPU, or until recording is switched off. Returns when the recorder has ended.
outrun()
{
	# A switch takes at least 16 bytes.
	local end enabled room=$(($2 * 64 * $(nproc)))

	until_true test -e "$3" || return
	while kill -STOP "$1" 2>/dev/null; do
		count_switches
		end=$((switches + room))
		enabled="[1] 0"
		while [ "$switches" -le $end ] && [ "$enabled" = "[1] 0" ]; do
			count_switches
			read -r enabled <"$TRACE/enable"
		done
		kill -CONT "$1" 2>/dev/null
		sleep 0.02
	done
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

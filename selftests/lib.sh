# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# Helpers of the selftests that run in a guest: the module, its rings, the published trees.

# The programs of the selftests are beside this file.
VITRINE_SELFTESTS=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
export VITRINE_SELFTESTS

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$VITRINE_SELFTESTS/tap.sh" || exit

TRACE=/sys/kernel/debug/vitrine/trace
INSPECT=/sys/kernel/debug/vitrine/inspect
WORKLOAD=$VITRINE_SELFTESTS/workload

# has_line FILE PATTERN...: a line of FILE has all of these patterns
has_line()
{
	local file=$1 lines pattern

	lines=$(<"$file")
	for pattern in "${@:2}"; do
		lines=$(grep -E -- "$pattern" <<<"$lines") || { cat "$file"; return 1; }
	done
}

# has_lines FILE PATTERN...: for each of these patterns, FILE has a line
has_lines()
{
	local pattern

	for pattern in "${@:2}"; do
		grep -qE -- "$pattern" "$1" || { echo "no $pattern"; tail -n 40 "$1"; return 1; }
	done
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

# repeat NR COMMAND...: COMMAND succeeds NR times; $round is how often it has so far
repeat()
{
	for ((round = 0; round < $1; round++)); do
		"${@:2}" || { echo "round $round"; return 1; }
	done
}

# set_to FILE WORDS: write them to a file of trace/
set_to()
{
	echo "$2" >"$TRACE/$1"
}

# rings_are_sound [FILE]: what the rings hold, copied to FILE, is a sound trace
rings_are_sound()
{
	cp "$TRACE/trace.fxt" "${1:-/tmp/one.fxt}" && vitrine check "${1:-/tmp/one.fxt}"
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

# outrun KB: in a command that is recorded, stop its parent, the recorder, again and again. Each
# time there are more switches than fit into the rings, which have KB on each CPU: a hop of a
# thread takes a switch, and a switch at least 16 bytes. Then end recording, so that the recorder
# can read everything.
outrun()
{
	local i

	for ((i = 0; i < 4; i++)); do
		"$WORKLOAD" crowd 20 200
		kill -STOP $PPID
		"$WORKLOAD" crowd 20 $(($1 * 64 * $(nproc)))
		kill -CONT $PPID
	done
	set_to enable 0
}
export -f set_to outrun
export TRACE WORKLOAD

# archive NAME: save the recording as /tmp/NAME.fxt and /tmp/NAME.txt
archive()
{
	echo 0 >"$TRACE/enable" &&
	cp "$TRACE/trace.fxt" "/tmp/$1.fxt" &&
	vitrine check "/tmp/$1.fxt" &&
	vitrine print --all "/tmp/$1.fxt" >"/tmp/$1.txt"
}

# restart [KB]: begin a new session, which discards the old records, with rings of this size
restart()
{
	echo 2048 >"$TRACE/buffer_kb" &&
	echo "${1:-1024}" >"$TRACE/buffer_kb" &&
	echo 1 >"$TRACE/enable"
}

load()
{
	insmod "$VITRINE_KO" "$@"
}

# unload: unload the module, and others that use it
unload()
{
	local users=/sys/module/vitrine/holders

	# shellcheck disable=SC2046	# names of modules
	[ ! -e $users ] || rmmod $(ls $users) vitrine
}

# disruptive WHAT: skip the test unless it may do WHAT, which a machine in use would suffer from
disruptive()
{
	[ "${DISRUPTIVE:-}" = 1 ] || skip "$*; DISRUPTIVE=1 runs it nevertheless"
}

# finish: print the plan; exit with 0 if all test points have passed
finish()
{
	unload
	plan
}

# mark_log: note how far the kernel's log is
mark_log()
{
	log_mark=$BASHPID.$RANDOM
	echo "selftest: mark $log_mark" >/dev/kmsg
}

# marked_log: print what the kernel has logged since mark_log
marked_log()
{
	dmesg | sed "1,/selftest: mark $log_mark\$/d"
}

# value TREE FILTER: print the result of jq for the JSON of a tree
value()
{
	vitrine show --json "$1" | jq -r "$2"
}

[ -n "${VITRINE_KO:-}" ] ||
	skip "set VITRINE_KO to the module, or use selftests/qemu/run"
[ ! -e /sys/module/vitrine/holders ] || [ "${FORCE:-}" = 1 ] ||
	skip "vitrine is loaded; FORCE=1 unloads it"
unload

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine latency', `timeline' and, on a terminal, `top' read the flight recorder while it
# records.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT
load
set_to events +sched

# waited: the rings contain waits of twenty threads, and their names
waited()
{
	vitrine latency --live --json >"$dir/json" &&
	jq -e '[.threads[] | select(.thread.name | tostring | startswith("crowd-")) |
		select(.runnable.count > 0 and .running_ns > 0) | .thread.name] | unique | length == 20' "$dir/json"
}

table()
{
	vitrine latency --live >"$dir/table" && head -n 1 "$dir/table" | grep ' switches on [0-9]* CPU.*from wakeup or preemption to run' &&
	grep -E '^crowd-[0-9]+:[0-9]+/[0-9]+ ' "$dir/table"
}

shown()
{
	grep -qaE "$1" "$dir/screen"
}

# Twenty threads that switch until the tests are done.
while "$WORKLOAD" crowd 20 2000 >/dev/null; do :; done &
check "latency --live reports the threads that waited" until_true waited
check "latency --live prints a table" table
check "timeline --live draws the threads that ran" eval '
	vitrine timeline --live -o "$dir/live.html" && grep -q "crowd-" "$dir/live.html" &&
	vitrine timeline --live -o "$dir/live.svg" && grep -q "<title>crowd-" "$dir/live.svg"'

# The terminal is that of script(1), whose standard input are the keys.
mkfifo "$dir/keys"
TERM=vt100 script -qefc "stty rows 30 cols 100; vitrine top -i 0.5" "$dir/screen" <"$dir/keys" >/dev/null &
pid=$!
exec 3>"$dir/keys"
check "top shows the running threads on a terminal" until_true shown '[1-9][0-9]* switches/s, [0-9]+ threads'
check "top shows each CPU" until_true shown "CPU $(($(nproc) - 1))[^0-9]"
check "top shows threads by their names" until_true shown 'crowd-[0-9]+:[0-9]+/[0-9]+'
printf q >&3
exec 3>&-
wait "$pid"
check "q ends top" test $? = 0
check "top reports no error" fails shown 'vitrine: '
finish

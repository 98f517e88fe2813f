#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands in README and Documentation/tour.rst work as printed, and the
# report on their recording is complete.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

# The Makefile extracts these lines from both documents.
mapfile -t session <"$VITRINE_SELFTESTS/first_session.txt"
mkdir -p /tmp/session/bin
cd /tmp/session || exit
export PATH=$PWD/bin:$PATH

# A replacement for the program that the session runs, which guests lack.
printf '#!/bin/sh\nexec "%s" crowd 8 2000\n' "$WORKLOAD" >bin/make
printf '#!/bin/sh\ngrep -c "^# TYPE vitrine_"\n' >bin/promtool
chmod +x bin/make bin/promtool

# as_printed LINE: run the line; a failure anywhere in a pipeline fails
as_printed()
{
	timeout 600 bash -e -o pipefail -c "$1" 2>&1 | tail -n 20
	return "${PIPESTATUS[0]}"
}

check "README and the tour have a session" test ${#session[@]} -gt 20
load
for line in "${session[@]}"; do
	case $line in
	*"vitrine watch"*|*"vitrine top"*)
		# These run until they are interrupted; top.sh and watch.sh test them.
		;;
	*.ctf|*trace.dat*)
		# These need libraries that guests lack; convert.sh tests them.
		;;
	*"vitrine diff"*)
		# Like diff(1), an exit status of 1 means that there are differences.
		check "$line" eval 'as_printed "$line"; [ $? = 1 ]' ;;
	*)
		check "$line" as_printed "$line" ;;
	esac
done

# says FILE FILTER: jq finds FILTER true of the report of a trace
says()
{
	vitrine latency --json "$1" >report.json && jq -e "$2" report.json
}
check "waits are counted from the wakeup on" \
	says load.fxt '.wakeups > 100 and ([.threads[].runnable.count] | add) > 100'
check "wakeups are off after the session" grep -qx -e -sched "$TRACE/events"
unload
load
check "--no-wakeups" vitrine record --no-wakeups -o none.fxt -- make
check "a recording with --no-wakeups has no wakeup" says none.fxt '.wakeups == 0'
rm -rf /tmp/session

finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The first session that README prints works as printed, and a report of what it
# recorded has all that the report is about.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

# The Makefile takes these lines from README.
mapfile -t session <"$VITRINE_SELFTESTS/first_session.txt"
mkdir -p /tmp/session/bin
cd /tmp/session || exit
export PATH=$PWD/bin:$PATH

# What the session runs and a guest lacks.
printf '#!/bin/sh\nexec "%s" crowd 8 2000\n' "$WORKLOAD" >bin/make
printf '#!/bin/sh\ngrep -c "^# TYPE vitrine_"\n' >bin/promtool
chmod +x bin/make bin/promtool

# as_printed LINE: run it; what fails anywhere in a pipe fails
as_printed()
{
	timeout 120 bash -e -o pipefail -c "$1" 2>&1 | tail -n 20
	return "${PIPESTATUS[0]}"
}

# differs LINE: as diff(1), 1 says that there are differences
differs()
{
	as_printed "$1"
	[ $? = 1 ]
}

check "README has a session" test ${#session[@]} -gt 10
load
for line in "${session[@]}"; do
	case $line in
	*"vitrine watch"*|*"vitrine top"*)
		# Until they are ended: top.sh and watch.sh have them.
		;;
	*.ctf|*trace.dat*)
		# For other programs' libraries, which are not here: convert.sh.
		;;
	*"vitrine diff"*)
		check "$line" differs "$line" ;;
	*)
		check "$line" as_printed "$line" ;;
	esac
done

# says FILE FILTER: of what the report of a trace says
says()
{
	vitrine latency --json "$1" >report.json && jq -e "$2" report.json
}
check "waits are counted from the wakeup on" \
	says load.fxt '.wakeups > 100 and ([.threads[].after_wakeup.count] | add) > 100'
check "wakeups are off again" grep -qx -e -sched "$TRACE/events"
unload
load
check "--no-wakeups" vitrine record --no-wakeups -o none.fxt -- make
check "has none" says none.fxt '.wakeups == 0'
rm -rf /tmp/session

finish

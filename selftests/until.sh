#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine record --until': the recording ends with an event, and the trigger that freezes
# the rings for it is as before, whatever ends the recorder.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

cd /tmp || exit
load

trigger_is()
{
	echo "$1, $(<"$TRACE/trigger")"
	[ "$(<"$TRACE/trigger")" = "$1" ]
}

# as_before: the settings are those that the module has when it is loaded
as_before()
{
	trigger_is "armed panic" && grep -qx -e -sched "$TRACE/events" &&
		grep -qx -e -irq "$TRACE/events"
}

# ends_with FILE EVENT: the last events of FILE are EVENT and the mark of the trigger
ends_with()
{
	vitrine check "$1" || return
	vitrine print --json "$1" |
		jq -r 'select(.category and .name) | "\(.category):\(.name)"' >events.txt
	tail -n 5 events.txt
	[ "$(grep -n -m 1 -x "$2" events.txt)" = "$(tail -n 2 events.txt | head -n 1 |
		sed "s/^/$(($(wc -l <events.txt) - 1)):/")" ]
}

# Only the command that is recorded writes markers. It goes on after the recording.
marked()
{
	vitrine record -o marked.fxt --until marker:stop -- sh -c '
		for word in start go stop; do
			echo "$word" >"$0"
		done
		until [ -s marked.fxt ]; do :; done
		echo after >"$0"; exit 7' "$TRACE/marker" 2>marked.txt
	[ $? = 7 ]
}

check "a marker ends the recording, and the command goes on" marked
check "nothing was lost before the marker" grep -q ', 0 lost,' marked.txt
check "the trace ends with the marker" ends_with marked.fxt marker:stop
check "the trace begins before the marker" grep -qx marker:start events.txt
check "the settings are as before" as_before

check "the category is switched on" eval '
	vitrine record --no-wakeups -o exec.fxt --until sched:exec -- true &&
		vitrine print exec.fxt | grep "sched:exec file="'
check "the settings are as before" as_before
check "any event of a category" vitrine record -o any.fxt --until marker -- \
	sh -c 'echo any >"$0"; until [ -s any.fxt ]; do :; done' "$TRACE/marker"
check "--until with --delay" vitrine record -o delay.fxt --delay 10ms --until marker:late -- \
	sh -c 'until [ -s delay.fxt ]; do echo late >"$0"; done' "$TRACE/marker"
check "the settings are as before" as_before

set_to trigger none
check "--until without another trigger" vitrine record -o none.fxt --until marker:stop -- \
	sh -c 'echo stop >"$0"; until [ -s none.fxt ]; do :; done' "$TRACE/marker"
check "there is none afterwards" trigger_is none
check "the end comes before the event" vitrine record -o none.fxt --until marker:never -- true
check "there is none afterwards" trigger_is none
set_to trigger panic

# ---- what ends the recorder ---------------------------------------------------

begin()
{
	vitrine record -o ended.fxt --until marker:stop 2>ended.txt &
	recorder=$!
	until_true trigger_is "armed event=marker:stop panic" >/dev/null
}

# The recording goes on, and its trigger can fire again.
off_and_on()
{
	begin || return
	set_to enable 0
	set_to marker stop
	set_to enable 1
	trigger_is "armed event=marker:stop panic" && kill -0 "$recorder" || return
	set_to marker stop
	wait "$recorder"
}
check "recording is switched off and on" off_and_on
check "the settings are as before" as_before

# written WORDS: the user changes the trigger
written()
{
	begin || return
	set_to trigger "$1"
	wait "$recorder"
	[ $? = 3 ] && cat ended.txt && grep -q "no longer armed.*saved" ended.txt && vitrine check ended.fxt
}

check "the user writes another trigger" written "latency_us=3600000000"
check "the trigger that the user has written stays" trigger_is "armed latency_us=3600000000"
check "a trigger of the user is left alone" refuses 3 "in use: armed latency_us=3600000000" \
	vitrine record -o refused.fxt --until marker:stop -- true
check "a trigger of the user stays armed after the refusal" trigger_is "armed latency_us=3600000000"
set_to trigger panic

two()
{
	begin || return
	refuses 3 "in use: armed event=marker:stop panic" \
		vitrine record -o refused.fxt --until sched:exec -- true || return
	set_to marker stop
	wait "$recorder"
}
check "two recorders" two
check "no such category" refuses 3 "no such category" \
	vitrine record -o refused.fxt --until nothing:exec -- true
check "no event" refuses 2 "CATEGORY:NAME" vitrine record -o refused.fxt --until "a b" -- true
check "no file of them" test ! -e refused.fxt
check "the settings are as before" as_before
rm -f ./*.fxt events.txt marked.txt ended.txt

finish

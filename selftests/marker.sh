#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Markers from C, Python and the shell: each kind, in order, on the track of the thread that
# writes it; what is refused; that names use no room in the string table; filters and the
# trigger; and that a group can mark and record without root.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit
disruptive "the permissions of debugfs change"

group=4711
program=${VITRINE_SELFTESTS:-$(dirname "$0")}/marker
importer=${VITRINE_SELFTESTS:-$(dirname "$0")}/importer
debugfs=/sys/kernel/debug

# archive_anew NAME: archive the recording, and discard it
archive_anew()
{
	archive "$1" && restart
}

# markers NAME: print the markers of the archive, without time, CPU and thread
markers()
{
	sed -nE 's/^.* (instant|counter|begin|end|async-begin|async-end|flow-begin|flow|flow-end) +.* marker:/\1 /p' \
		"/tmp/$1.txt" | sed -E 's/ +$//'
}

# are NAME LINE...: the markers of the archive are these lines, in this order
are()
{
	local name=$1

	shift
	diff <(printf '%s\n' "$@") <(markers "$name")
}

# legible NAME COUNT: the archive has so many markers, in the form that Perfetto expects
legible()
{
	"$importer" "/tmp/$1.fxt" marker | tee /tmp/importer.txt
	[ "$(cat /tmp/importer.txt)" = "$2 events" ]
}

refused()
{
	value vitrine '.root.trace.markers_refused'
}

# ---- who writes them ----------------------------------------------------------

load
check "markers are on when the module is loaded" grep -qx +marker "$TRACE/events"
(echo 'B|17|outer'; echo "hello, world"; echo 'C||queue|-3'; echo E) | while read -r line; do
	set_to marker "$line"
done
check "the shell: sound" archive_anew shell
check "the shell: in order" are shell "begin outer" "instant hello, world" "counter queue id 0 value=-3" end
check "the shell: as Perfetto expects" legible shell 4
check "the shell: on the track of the thread that writes" \
	test "$(grep marker: /tmp/shell.txt | grep -cF " $(</proc/$$/comm):")" = 4

check "a C program" "$program" write
check "C: sound" archive_anew c
check "C: in order" are c "begin outer" "flow-begin hop id 7" "instant café" \
	"counter least id 0 value=-9223372036854775808" "counter most id 0 value=9223372036854775807" \
	"async-begin request id 18446744073709551615" "flow hop id 7" \
	"async-end request id 18446744073709551615" "flow-end hop id 7" end
check "C: as Perfetto expects" legible c 10

if python3 -c 'import vitrine' 2>/dev/null; then
	check "a Python program" python3 -c 'import vitrine
marker = vitrine.Marker()
with marker.duration("load"):
    marker.counter("files", 3)'
	check "Python: sound" archive_anew python
	check "Python: in order" are python "begin load" "counter files id 0 value=3" end
fi

# ---- what is refused -------------------------------------------------------------

refuses_marker()
{
	refuses 1 "$1" bash -c "printf '%b' '$2' >$TRACE/marker"
}
before=$(refused)
for text in 'B|17|' 'X|17|load' 'C|17|queue|five' 'B|x|load' '\n' 'B||\0a'; do
	check "refused: $text" refuses_marker "Invalid argument" "$text"
done
check "refused: 256 bytes" refuses_marker "Message too long" "$(printf '%0256d' 0)"
check "refused: a megabyte" bash -c "! head -c 1048576 /dev/zero | dd of=$TRACE/marker bs=1M 2>/dev/null"
check "all refused markers are counted" test "$(($(refused) - before))" = 8
check "accepted: 255 bytes and a newline" bash -c "printf '%0255d\n' 0 >$TRACE/marker"
check "the trace with refused markers is sound" archive_anew refused
check "the trace has the accepted marker only" are refused "instant $(printf '%0255d' 0)"

# ---- names, filters, the trigger ---------------------------------------------------

for ((i = 0; i < 300; i++)); do
	set_to marker "I||name-$i"
done
check "300 names: sound" archive_anew names
check "300 names: as Perfetto expects" legible names 300
check "each of 300 names is in the trace once" test "$(markers names | sort -u | wc -l)" = 300
check "no name of a marker is in the string table" fails grep -E ' string .*"name-' /tmp/names.txt

set_to events -marker
check "while markers are off, any text is accepted" bash -c "echo 'B|17|' >$TRACE/marker"
set_to events "+marker:process=$$"
set_to marker mine
bash -c "echo other >$TRACE/marker; :"
set_to marker mine
check "a filter: sound" archive_anew filter
check "a filter: the markers of the process it admits" are filter "instant mine" "instant mine"
set_to events +marker
set_to trigger "event=marker:boom"
set_to marker 'I||calm'
check "another marker does not freeze" grep -q ^armed "$TRACE/trigger"
set_to marker 'I||boom'
check "a marker freezes the rings" grep -q '^fired event' "$TRACE/trigger"
unload

# ---- without root --------------------------------------------------------------------

# as_group COMMAND...: run as a user with no other privilege than the group
as_group()
{
	setpriv --reuid 1000 --regid "$group" --clear-groups --inh-caps=-all "$@"
}

for parameter in file_mode=0777 file_mode=01600 uid=4294967295 gid=4294967295; do
	check "refused: $parameter" fails load $parameter
done
load
check "root's, by default" same <(printf '%s 0 0\n' 200 400) \
	<(stat -c '%a %u %g' "$TRACE"/{marker,trace.fxt})
unload
load uid=1 gid=$group file_mode=0660
check "given to a group" same <(printf "%s 1 $group\n" 220 440 660 660 440 220) <(stat -c '%a %u %g' \
	"$TRACE"/{marker,trace.fxt,cpu0,events} "$INSPECT"/{system.inspect,retained/drop})
check "debugfs itself is closed" fails as_group test -e "$TRACE/marker"
mkdir -p /run/glass/vitrine /tmp/out
chown 1000 /tmp/out
mount --bind $debugfs/vitrine /run/glass/vitrine
export VITRINE_DEBUGFS=/run/glass
check "a bind mount shows vitrine alone" as_group test -e /run/glass/vitrine/trace/marker
check "the group marks" as_group "$program" write
check "the group records" as_group vitrine record -o /tmp/out/record.fxt -- "$program" write
vitrine print --all /tmp/out/record.fxt >/tmp/record.txt
check "the recording of the group has its markers" grep -q ' begin .* marker:outer' /tmp/record.txt
check "the group reads trees" as_group vitrine show system
check "a user outside the group cannot read the trace" fails setpriv --reuid 1000 --regid 1001 --clear-groups cat /run/glass/vitrine/trace/trace.fxt
check "a user outside the group cannot mark" fails setpriv --reuid 1000 --regid 1001 --clear-groups "$program" write
unset VITRINE_DEBUGFS
umount /run/glass/vitrine
mount -o remount,mode=0750,gid=$group $debugfs
check "the group marks if debugfs is opened to it" as_group "$program" write
mount -o remount,mode=0700,gid=0 $debugfs

finish

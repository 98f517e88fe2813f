#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine convert', and babeltrace2 with our plugin: what goes through another
# format comes back as it was, as far as that format can say it.
#
#   convert.sh VITRINE WORDS DIR
#
# DIR holds mkfxt, which the Makefile builds. SWITCHES=1000000 for a larger trace.

# shellcheck source-path=SCRIPTDIR source=formats
. "$(dirname "$0")/formats"
here=$(cd "$(dirname "$0")" && pwd)
golden=$here/../golden

convert()
{
	command_into_files convert "$@"
}

# The plugin has the sanitizers, babeltrace2 has not.
babeltrace()
{
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(gcc -print-file-name=libasan.so) babeltrace2 "$@"
}

# round_trip NAME FORMAT: NAME.fxt there and back, printed
round_trip()
{
	rm -rf "$1.$2"
	"$vitrine" convert "$1.fxt" -o "$1.$2" 2>there.err &&
		"$vitrine" convert "$1.$2" -o "$1.back.fxt" 2>back.err &&
		"$vitrine" print "$1.fxt" >"$1.print" 2>/dev/null &&
		"$vitrine" print "$1.back.fxt" >"$1.back.print" 2>/dev/null
}

# came_back NAME FORMAT: with every record, its time, its threads, their names
came_back()
{
	round_trip "$1" "$2" && cat there.err back.err && [ ! -s there.err ] && [ ! -s back.err ] &&
		same "$1.print" "$1.back.print" &&
		"$vitrine" check "$1.back.fxt" >"$1.back.check" && grep ": no fault" "$1.back.check"
}

cd "$dir" || exit 1
touch err
BABELTRACE_PLUGIN_PATH=$(dirname "$vitrine")
export BABELTRACE_PLUGIN_PATH
echo "TAP version 13"
for name in records vitrine recorded renamed crowd wide; do
	"$mkfxt" $name >$name.fxt
done
"$mkfxt" speed "${SWITCHES:-20000}" >many.fxt

# ---- what can be wrong ----

convert
check "nothing given" test "$(cat status)" = 2
convert many.fxt -o many.doc
check "a name that tells nothing" ended 2 "many.doc: say what it is to be with --to"
convert many.fxt -o many.doc --to word
check "an unknown format" grep -q "no format word" err
convert many.fxt -o other.fxt
check "the same format" ended 2 "many.fxt: is fxt already"
convert /dev/null -o other.ctf
check "no trace" ended 1 "/dev/null: offset 0x0: no trace"
convert missing.fxt -o other.ctf
check "no file" ended 3 "missing.fxt: cannot open"
convert many.fxt -o no/such/directory/other.ctf
check "no directory" ended 3 "cannot create"
mkdir empty
convert empty -o other.fxt
check "a directory without a trace" ended 1 "empty: .*not a CTF trace"
check "nothing is left behind" test -z "$(find . -name 'other*')"

# ---- Common Trace Format ----

check "CTF: every switch comes back" came_back many ctf
check "CTF: names that change come back" came_back renamed ctf
check "CTF: times out of order come back" round_trip crowd ctf
check "CTF: and are the same" same crowd.print crowd.back.print
check "CTF: losses come back" round_trip vitrine ctf
grep -v " lost  *provider" vitrine.print >vitrine.kept
check "CTF: with all that was not lost" same vitrine.kept vitrine.back.print
"$vitrine" check vitrine.fxt >lost.check
"$vitrine" check vitrine.back.fxt >lost.back.check
check "CTF: as many records lost" same <(grep -o "[0-9]* records lost" lost.check) \
	<(grep -o "[0-9]* records lost" lost.back.check)
for format in ctf heph; do
	check "$format: what the recorder says of a loss" round_trip recorded $format
	"$vitrine" check recorded.back.fxt >recorded.check
	check "$format: and no more is lost" grep -q " 10 switches, .* 7 records lost: no fault" recorded.check
done
# A CPU above 255, whose switches are other records, which know no processes; with
# its losses.
for format in ctf heph; do
	check "$format: a CPU above 255" round_trip wide $format
	check "$format: every record of it comes back" same <(grep -v " lost  *provider" wide.print | sed 's|idle:0/0|idle:0|g' | sort) \
		<(sed 's|idle:0/0|idle:0|g' wide.back.print | sort)
	"$vitrine" check wide.back.fxt >wide.check
	check "$format: on as many CPUs, with its losses" grep -q " 10 switches, 2 CPUs, .* 3 records lost: no fault" wide.check
done
check "CTF: all kinds of records" round_trip records ctf
check "CTF: what is left out is counted" grep -qx \
	"vitrine: records.fxt: left out, the Common Trace Format cannot say it: 4 blobs, 3 objects, 4 records of unknown kinds, 1 events" \
	there.err
# Of what the format cannot say: a null is an empty text, a priority is said.
sed -e '/large-blob\|provider 7\| event   worker/d' -e 's/null=null/null=""/' \
	-e 's/outgoing_weight=12$/& incoming_weight=120/' records.print >records.kept
check "CTF: and the rest comes back" same records.kept records.back.print

# As babeltrace2 sees it: events of each CPU, losses, first and last time.
babeltrace many.ctf --clock-cycles --no-delta >many.events 2>many.err
check "babeltrace2: no warning" test ! -s many.err
"$vitrine" print many.fxt | awk '
	{ sub(/^ */, ""); sub(/\./, "", $1); cpu = $2; gsub(/[][]/, "", cpu)
	  nr[cpu + 0]++; if (NR == 1) first = $1; last = $1 }
	END { print nr[0], nr[1], first + 0, last + 0 }' >many.ours
grep -v process_state many.events | awk '
	{ match($0, /cpu_id = [0-9]+/); cpu = substr($0, RSTART + 9, RLENGTH - 9)
	  gsub(/[][]/, "", $1); nr[cpu]++; if (NR == 1) first = $1; last = $1 }
	END { print nr[0], nr[1], first + 0, last + 0 }' >many.theirs
check "babeltrace2: events of each CPU, first and last time" same many.ours many.theirs
babeltrace vitrine.ctf >/dev/null 2>vitrine.err
check "babeltrace2: losses" test "$(sed -n 's/.*discarded \([0-9]* events\) .*/\1/p' vitrine.err)" = \
	"$(grep -o '[0-9]* records lost' lost.check | sed 's/records lost/events/')"
check "a kernel trace" grep -q 'domain = "kernel"' many.ctf/metadata
check "of version 1.8" test "$(head -n 1 many.ctf/metadata)" = "/* CTF 1.8 */"

babeltrace wide.ctf >wide.events 2>/dev/null
check "babeltrace2: switches of a CPU above 255" test "$(grep -c 'sched_switch: { cpu_id = 300 }' wide.events)" = 6

# The plugin in babeltrace2 itself.
babeltrace many.fxt --clock-cycles --no-delta >direct.events 2>direct.err
check "babeltrace2 reads FXT" same many.events direct.events
check "and says nothing" test ! -s direct.err
for trace in many.fxt many.ctf; do
	babeltrace $trace --begin 1700000000.001100000 --end 1700000000.001200000 >$trace.some 2>some.err
done
check "a CPU above 255" same wide.events <(babeltrace wide.fxt 2>/dev/null)
check "and from a time on" test -s many.fxt.some -a ! -s some.err
check "as it does CTF" same many.ctf.some many.fxt.some
babeltrace records.fxt >records.events 2>&1
check "and other events" grep -q 'cat:instant.*phase = ( "instant" .*pointer = 0xDEADBEEF' records.events
babeltrace many.ctf -c sink.vitrine.fxt -p 'path="sunk.fxt"' 2>sunk.err
"$vitrine" print sunk.fxt >sunk.print
check "babeltrace2 writes FXT" same many.print sunk.print

# A trace of LTTng's, as far as it matters.
"$here/mkctf.py" lttng.ctf
convert lttng.ctf -o lttng.fxt
check "LTTng: what is left out is counted" ended 0 \
	"lttng.fxt: left out, a Fuchsia trace cannot say it: 3 arguments$"
"$vitrine" print lttng.fxt >lttng.print
check "LTTng: each record" same "$golden/lttng.print" lttng.print
"$vitrine" check lttng.fxt >lttng.check
check "LTTng: clean, with what was discarded" grep -q "7 switches, 2 CPUs, 4 threads, 7 records lost: no fault" lttng.check

# What a session leaves: traces in directories within one.
mkdir session
"$here/mkctf.py" session/kernel
"$here/mkctf.py" session/user
convert session -o session.fxt
check "a session: all its traces" test "$("$vitrine" print session.fxt | grep -c kernel:nested)" = 2

# ---- Heph's trace format ----

# bytes NAME: of golden/heph/NAME.hex
bytes()
{
	perl -ne 's/#.*//; s/\s//g; print pack "H*", $_' "$golden/heph/$1.hex"
}

check "Heph: every switch comes back" came_back many heph
convert <(cat many.fxt) -o piped.heph --from fxt
check "a pipe is read once" cmp many.heph piped.heph
check "Heph: names that change come back" came_back renamed heph
check "Heph: times out of order come back" came_back crowd heph
check "Heph: losses come back" round_trip vitrine heph
check "Heph: with all that was not lost" same vitrine.kept vitrine.back.print
"$vitrine" check vitrine.back.fxt >lost.back.check
check "Heph: as many records lost" same <(grep -o "[0-9]* records lost" lost.check) \
	<(grep -o "[0-9]* records lost" lost.back.check)
bytes vitrine >vitrine.bytes
check "Heph: as the specification has it" cmp vitrine.bytes \
	<(head -c "$(stat -c %s vitrine.bytes)" vitrine.heph)
check "Heph: all kinds of records" round_trip records heph
check "Heph: what is left out is counted" grep -qx \
	"vitrine: records.fxt: left out, Heph's format cannot say it: 4 blobs, 3 objects, 4 records of unknown kinds, 1 events, 8 arguments" \
	there.err
sed -e '/large-blob\|provider 7\| event   worker/d' -e 's/ null=null//' -e '1s/ u64=.*//' \
	records.print >records.kept
check "Heph: and the rest comes back" same records.kept records.back.print
check "Heph: no packet is longer than 128 bytes" perl -0777 -ne '
	while (length) { $size = unpack "x4N"; exit 1 if $size > 128; $_ = substr $_, $size }
	$nr++ unless $size; exit !defined $size' records.heph
bytes spec >spec.heph
convert spec.heph -o spec.fxt
check "Heph: the specification's examples, arrays counted" ended 0 \
	"spec.heph: left out, a Fuchsia trace cannot say it: 1 arguments$"
"$vitrine" print spec.fxt >spec.print
check "Heph: a duration with its attribute" same <(echo \
	'     0.000000100 [---] complete ?:1/0 heph:My event until 0.000000200 Test=123') spec.print
head -c 113 spec.heph >short.heph
convert short.heph -o short.fxt
check "Heph: cut short" ended 1 "short.heph: offset 0x17: packet is longer than the file"
check "Heph: nothing is left behind" test ! -e short.fxt
convert many.heph -o twice.ctf
"$vitrine" convert twice.ctf -o twice.fxt
check "Heph into CTF" same many.print <("$vitrine" print twice.fxt)

# ---- Chrome's trace events ----

# events NAME: looks at NAME.json, prints who ran: CPU, begin, end, name, thread, state
cat >events.py <<'PYTHON'
import json, sys
trace = json.load(open(sys.argv[1]), parse_float=lambda text: int(text.replace(".", "")))
names = {}
for event in trace["traceEvents"]:
    assert event["ph"] in "MXBEiCbnestf" and isinstance(event["pid"], int) and isinstance(event["tid"], int)
    if event["ph"] == "M":
        names[event["name"], event["pid"], event["tid"]] = event["args"]["name"]
        continue
    assert event["ts"] >= 0 and event["name"] is not None
    if event["ph"] == "X" and event["pid"] == 0:
        args = event["args"]
        print(event["tid"], event["ts"], event["ts"] + event["dur"], event["name"], args["tid"],
              args["priority"], args.get("state", "-"))
        assert names["thread_name", args["pid"], args["tid"]] == event["name"]
        assert names["thread_name", 0, event["tid"]] == "CPU %d" % event["tid"]
PYTHON
# The same of switches: from a switch to a thread until the next one of its CPU.
runs()
{
	"$vitrine" print --json "$1" | jq -r 'select(.kind == "switch") |
		[.cpu, .time_ns, .in.tid, .in.name, .in_priority, .state] | @tsv' | awk '
		{ cpu = $1
		  if (tid[cpu]) print cpu, since[cpu], $2, name[cpu], tid[cpu], priority[cpu], $6
		  since[cpu] = $2; tid[cpu] = $3; name[cpu] = $4; priority[cpu] = $5 }'
}
convert many.fxt -o many.json
check "Chrome: nothing to say" ended 0
python3 events.py many.json | sort >many.runs
check "Chrome: it is JSON of events" test -s many.runs
check "Chrome: who ran, on which CPU, from when to when" same <(runs many.fxt | sort) many.runs
convert records.fxt -o records.json
check "Chrome: what is left out is counted" ended 0 \
	"left out, Chrome's JSON cannot say it: 4 blobs, 3 objects, 4 records of unknown kinds, 1 events$"
check "Chrome: one of each phase" same <(printf '%s\n' B C E X X X b e f i i i i n s t) \
	<(jq -r '.traceEvents[].ph | select(. != "M")' records.json | LC_ALL=C sort)
check "Chrome: arguments as they are" grep -qF \
	'"args":{"null":null,"i32":-5,"u32":4294967291,"i64":-1099511627776,"u64":9223372036854775808,"real":3.140625,"inline":"hello","table":"","pointer":3735928559,"koid":101,"yes":true}' \
	records.json
convert vitrine.fxt -o vitrine.json
convert wide.fxt -o wide.json
check "Chrome: who ran on a CPU above 255" test 3 = \
	"$(jq '.traceEvents[] | select(.ph == "X" and .pid == 0 and .tid == 300) | .name' wide.json | wc -l)"
check "Chrome: losses" test "$(jq '.traceEvents[] | select(.name == "records lost").args.records' vitrine.json)" = \
	"$(grep -o '[0-9]* records lost' lost.check | sed 's/ .*//')"
convert many.json --from chrome-json -o other.fxt
check "Chrome: is not read" grep -q "chrome-json cannot be read" err

# What cannot be understood is left out, said, and shows in the exit code.
head -c 1500 many.fxt >cut.fxt
for out in cut.heph cut.json cut.ctf; do
	convert cut.fxt -o $out
	check "a damaged trace to $out" ended 1 "^vitrine: cut.fxt: offset 0x[0-9a-f]+: .*; left out$"
	check "a damaged trace to $out: the rest is there" test -s $out
done

# Without the plugin the command says what to do.
BABELTRACE_PLUGIN_PATH=$dir/empty convert many.fxt -o other.ctf
check "no plugin" ended 3 "needs babeltrace-plugin-vitrine.so; install the package vitrine-babeltrace"

echo "1..$tests"
exit $failed

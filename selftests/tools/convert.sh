#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `vitrine convert', and babeltrace2 with our plugin: a trace that is converted to another
# format and back is unchanged, as far as that format can represent it.
#
# SWITCHES=1000000 for a larger trace.

. "$(dirname "$0")/command" || exit

convert()
{
	command_into_files convert "$@"
}

# If the plugin is built with sanitizers, babeltrace2, which is not, preloads the runtime.
babeltrace()
{
	LD_PRELOAD=${SANITIZER:-} babeltrace2 "$@"
}

# round_trip NAME FORMAT: convert NAME.fxt to FORMAT and back to NAME.back.fxt, and print
# both traces to files
round_trip()
{
	rm -rf "$1.$2"
	"$vitrine" convert "$1.fxt" -o "$1.$2" 2>there.err &&
		"$vitrine" convert "$1.$2" -o "$1.back.fxt" 2>back.err &&
		"$vitrine" print "$1.fxt" >"$1.print" 2>/dev/null &&
		"$vitrine" print "$1.back.fxt" >"$1.back.print" 2>/dev/null
}

# came_back NAME FORMAT: the round trip preserves all records, with time, threads and names
came_back()
{
	round_trip "$1" "$2" && cat there.err back.err && [ ! -s there.err ] && [ ! -s back.err ] &&
		same "$1.print" "$1.back.print" && sound "$1.back.fxt"
}

# discarded NAME: print what babeltrace2 says of NAME.ctf
discarded()
{
	babeltrace "$1.ctf" 2>&1 >/dev/null | grep -o 'discarded [0-9]* [a-z]*'
}

traces contexts records vitrine recorded renamed crowd wide spans waits
"$mkfxt" speed "${SWITCHES:-20000}" >many.fxt

# Switches and wakeups with all kinds of weights: of a normal thread, of a real-time thread, of
# the idle thread, which is 7 here, of none, and one that is a text, in both forms of switches.
mktrace >weights.fxt <<'END'
IDLE = -1 << 31
for i, (out, into) in enumerate(((IDLE, 120), (120, 49), (49, 0), (0, IDLE))):
    put(switch(1000 + i, 7 if out == IDLE else 10 + i, 7 if into == IDLE else 11 + i,
               int32(b"outgoing_weight", out), int32(b"incoming_weight", into)))
put(*(wakeup(2000 + i, 20, int32(b"weight", value)) for i, value in enumerate((120, 49, 0, IDLE))),
    wakeup(2004, 20, arg(b"weight", b"much")),
    record(8, 1 << 16 | 3 << 24 | 49 << 52, 3000, 9, 10, 9, 11))
END

# ---- errors ----

check "nothing given" refused "" convert
check "a name that tells nothing" exits 2 "many.doc: unknown suffix; name the format with --to" convert many.fxt -o many.doc
check "an unknown format" refused "unknown format word" convert many.fxt -o many.doc --to word
check "the same format" exits 2 "many.fxt: already in format fxt" convert many.fxt -o other.fxt
check "no trace" exits 1 "/dev/null: offset 0x0: not a trace" convert /dev/null -o other.ctf
check "no file" exits 3 "missing.fxt: cannot open" convert missing.fxt -o other.ctf
check "no directory" exits 3 "cannot create" convert many.fxt -o no/such/directory/other.ctf
mkdir empty
check "a directory without a trace" exits 1 "empty: .*not a CTF trace" convert empty -o other.fxt
check "a failed conversion leaves no file" no_file 'other*'

# ---- Common Trace Format ----

for format in ctf heph; do
	check "$format: every switch comes back" came_back many $format
	check "$format: names that change come back" came_back renamed $format
	check "$format: contexts of wakeups come back" came_back contexts $format
	check "$format: losses come back" round_trip vitrine $format
	check "$format: with all that was not lost" same <(grep -v " lost  *provider" vitrine.print) vitrine.back.print
	check "$format: as many records lost" sound vitrine.back.fxt "$("$vitrine" check vitrine.fxt | grep -o ' [0-9]* records lost')"
	check "$format: what the recorder says of a loss" round_trip recorded $format
	check "$format: no more records are lost than the recorder says" \
		sound recorded.back.fxt " 10 switches, .* 7 records lost"
done
check "CTF: times out of order come back" round_trip crowd ctf
check "CTF: records out of order come back unchanged" same crowd.print crowd.back.print
check "CTF: priorities" round_trip weights ctf
check "CTF: only idle has none, whatever its id is" same <("$vitrine" print weights.back.fxt | sed 's/^ *[^ ]* //') - <<-'END'
	[000] switch  idle:0/0 [0] blocked ==> ?:11/9 [120]
	[000] switch  ?:11/9 [120] blocked ==> ?:12/12 [49]
	[000] switch  ?:12/12 [49] blocked ==> ?:13/13 [120]
	[000] switch  ?:13/13 [120] blocked ==> idle:0/0 [0]
	[000] wakeup  ?:20 weight=120 waker=0
	[000] wakeup  ?:20 weight=49 waker=0
	[000] wakeup  ?:20 weight=120 waker=0
	[000] wakeup  ?:20 weight=120 waker=0
	[000] wakeup  ?:20 weight=120 waker=0
	[001] switch  ?:10/9 [120] blocked ==> ?:11/9 [49]
END
check "Heph: priorities" round_trip weights heph
check "Heph: a weight is a number" filtered "120 49 0 -2147483648 null" "jq .args.weight | paste -sd ' '" \
	print -j -e wakeup weights.back.fxt
check "babeltrace2: the kernel's priorities minus 100" prints "20,20 20,-51 -51,20 20,20 20,-51" \
	bash -c "sed -nE 's/.*sched_switch: .*prev_prio = (-?[0-9]+).*next_prio = (-?[0-9]+).*/\1,\2/p' | paste -sd ' '" \
	< <(babeltrace weights.ctf 2>/dev/null)
# Switches on a CPU above 255 are other records, which have no process. Lost records are
# converted as well.
for format in ctf heph; do
	check "$format: a CPU above 255" round_trip wide $format
	check "$format: every record of it comes back" same <(grep -v " lost  *provider" wide.print | sed 's|idle:0/0|idle:0|g' | sort) \
		<(sed 's|idle:0/0|idle:0|g' wide.back.print | sort)
	check "$format: on as many CPUs, with its losses" sound wide.back.fxt " 10 switches, 2 CPUs, .* 3 records lost"
done
check "CTF: all kinds of records" round_trip records ctf
check "CTF: what is left out is counted" grep -qx \
	"vitrine: records.fxt: left out, the Common Trace Format cannot represent them: 4 blobs, 3 objects, 4 records of unknown kinds, 1 events" \
	there.err
# What CTF cannot represent changes: null becomes an empty string, and a switch always has
# the priority of the incoming thread.
sed -e '/large-blob\|provider 7\| event   worker/d' -e 's/null=null/null=""/' \
	-e 's/outgoing_weight=12$/& incoming_weight=120/' records.print >records.kept
check "CTF: the records that are not left out come back" same records.kept records.back.print

# Compare with babeltrace2: switches, losses.
babeltrace many.ctf --clock-cycles --no-delta >many.events 2>many.err
check "babeltrace2: no warning" test ! -s many.err
their_switches many.events tid >many.theirs
check "babeltrace2: there are switches" test -s many.theirs
check "babeltrace2: each switch" same many.theirs <(our_switches many.fxt)
check "babeltrace2: losses" prints "discarded $("$vitrine" check vitrine.fxt | grep -o '[0-9]* records lost' |
	sed 's/records lost/events/')"$'\ndiscarded 1 packet' discarded vitrine
check "a kernel trace" grep -q 'domain = "kernel"' many.ctf/metadata
check "the metadata is of version 1.8 of CTF" test "$(head -n 1 many.ctf/metadata)" = "/* CTF 1.8 */"

babeltrace wide.ctf >wide.events 2>/dev/null
check "babeltrace2: switches of a CPU above 255" test "$(grep -c 'sched_switch: { cpu_id = 300 }' wide.events)" = 6

# babeltrace2 reads FXT through our plugin.
babeltrace many.fxt --clock-cycles --no-delta >direct.events 2>direct.err
check "babeltrace2 reads FXT" same many.events direct.events
check "babeltrace2 reads FXT without a message" test ! -s direct.err
for trace in many.fxt many.ctf; do
	babeltrace $trace --begin 1700000000.001100000 --end 1700000000.001200000 >$trace.some 2>some.err
done
check "babeltrace2 reads FXT with a CPU above 255" same wide.events <(babeltrace wide.fxt 2>/dev/null)
check "babeltrace2 reads FXT from a time on" test -s many.fxt.some -a ! -s some.err
check "babeltrace2 reads the same part of FXT and of CTF" same many.ctf.some many.fxt.some
# With sanitizers, this also finds what is not freed.
{ cat spans.fxt && perl -e 'print pack "Q<", 2 << 16 | 1 << 4 | $_ << 20 for 100 .. 16484'; } >providers.fxt
babeltrace providers.fxt >providers.events 2>providers.err
check "babeltrace2: too many providers" test $? = 1 -a ! -s providers.events
check "babeltrace2: too many providers: nothing else is wrong" fails grep Sanitizer providers.err
babeltrace records.fxt >records.events 2>&1
check "babeltrace2 reads other events of FXT" grep -q 'cat:instant.*phase = ( "instant" .*pointer = 0xDEADBEEF' records.events
babeltrace many.ctf -c sink.vitrine.fxt -p 'path="sunk.fxt"' 2>sunk.err
"$vitrine" print sunk.fxt >sunk.print
check "babeltrace2 writes FXT" same many.print sunk.print

# A trace in the layout of LTTng, with everything that the converter handles.
"$here/mkctf.py" lttng.ctf
convert lttng.ctf -o lttng.fxt
check "LTTng: what is left out is counted" ended 0 \
	"lttng.ctf: left out, a Fuchsia trace cannot represent them: 3 arguments$"
"$vitrine" print lttng.fxt >lttng.print
check "LTTng: each record" same "$golden/lttng.print" lttng.print
check "LTTng: clean, with what was discarded" sound lttng.fxt "7 switches, 2 CPUs, 4 threads, 7 records lost"

# Threads in the order of the file: unnamed, "first", "second", idle. Each gets its own id.
"$here/mkctf.py" taken.ctf taken
check "LTTng: threads with ids that are made up, too" exits 0 ": 12 arguments$" convert taken.ctf -o taken.fxt
check "LTTng: the first to come keeps its id" json \
	$'1342177280,null\n1073741824,first\n1610612736,second\n1610612737,idle' \
	'select(.kind == "instant") | "\(.thread.tid),\(.thread.name)"' print --json taken.fxt
check "LTTng: switches and wakeups have the same ids" json \
	$'[0,1073741824]\n[1073741824,1610612736]\n[1073741824]\n[1610612736,0]' \
	'select(.kind == "switch" or .kind == "wakeup") | [.out.tid, .in.tid, .thread.tid | values]' \
	print --json taken.fxt

"$here/mkctf.py" exec.ctf renamed
convert exec.ctf -o exec.fxt
check "LTTng: the last of two names that a thread has in a sub-buffer" filtered ls:1002/1002 \
	"grep -o '[a-z]*:1002/1002' | sort -u" print exec.fxt

# A session is a directory that contains the directories of traces.
mkdir session
"$here/mkctf.py" session/kernel
"$here/mkctf.py" session/user
convert session -o session.fxt
check "a session: all its traces" filtered 2 "grep -c kernel:nested" print session.fxt

# ---- system calls and interrupts: pairs of events, each stored as one record ----

# seen NAME: print time, CPU, name and fields of each event in NAME.ctf
seen()
{
	babeltrace "$1.ctf" --clock-cycles --no-delta 2>/dev/null | perl -ne '
		next unless /^\[0*(\d+)\] (\S+): \{ cpu_id = (\d+) \}, (.*)/ && $2 !~ /process_state/;
		print "$1 $3 $2";
		($_) = ($4);
		print " $1=$2" while /\b(vec|irq|vector|nr|ret|handled|name|id) = (?:\( )?"?([-\w]+)/g;
		print "\n"'
}

# packets NAME: print CPU, begin and end of each packet in NAME.ctf; fail if an event is
# outside of a packet or times are not in order
packets()
{
	babeltrace "$1.ctf" -c sink.text.details -p 'color="never",with-metadata=no,compact=yes' 2>/dev/null | perl -ne '
		next unless /^\[(\d+) .*?\{\d+ \d+ (\d+)\} (Packet|Event `|Discarded)( \w*)?/;
		die "at $1 after $now{$2}" if $1 < $now{$2};
		$now{$2} = $1;
		die "event at $1 in no packet" if $3 eq "Event `" && !exists $begin{$2};
		$begin{$2} = $1 if $4 eq " beginning";
		print "$2 ", delete $begin{$2}, " $1\n" if $4 eq " end"'
}

check "pairs: no event is left out" exits 0 "" convert spans.fxt -o spans.ctf
check "pairs: what begins and what ends, in order" same "$golden/spans.events" <(seen spans)
check "pairs: packets hold what is in them" prints \
	$'0 1000 1480\n1 1405 1800\n0 1520 1900\n0 3000 3100\n0 3110 3250\n0 3300 3500' packets spans
check "pairs: as many events and packets are lost" prints $'discarded 4 events\ndiscarded 1 packet' discarded spans
check "pairs: babeltrace2 reads FXT alike" same <(babeltrace spans.ctf 2>/dev/null) <(babeltrace spans.fxt 2>/dev/null)
check "pairs: back" round_trip spans ctf
check "pairs: back, as many lost and no more" sound spans.back.fxt " 4 records lost"
convert spans.back.fxt -o again.ctf
check "pairs: back, each event" same "$golden/spans.events" <(seen again)

# The begin of a system call is recorded when its thread is switched out: here one sub-buffer
# late, and after an interrupt that came later. Another call begins where records are lost,
# and ends two sub-buffers later.
mktrace >late.fxt <<'END'
IDLE, THREAD = (0, 0), (100, 101)
def sched(time, text):
    return event(time, *THREAD, b"sched", text)
subbuf(0, 1000, 1200, legacy_switch(1000, IDLE, THREAD), sched(1100, b"exec"), sched(1200, b"fork"))
subbuf(1, 1350, 1400, event(1190, *THREAD, b"irq", b"softirq RCU", kind=4, last=[1350]),
       event(1150, *THREAD, b"syscall", b"futex", kind=2), legacy_switch(1400, THREAD, IDLE),
       before=3)
subbuf(2, 2000, 2100, legacy_switch(2000, IDLE, THREAD),
       event(2100, *THREAD, b"syscall", b"futex", kind=3), before=6)
subbuf(4, 5000, 5100, sched(5000, b"exec"), sched(5100, b"fork"), before=13)
subbuf(5, 5200, 5300, sched(5200, b"exec"),
       event(4900, *THREAD, b"syscall", b"sync", kind=4, last=[5300]), before=15)
END
convert late.fxt -o late.ctf
check "a late begin: in order" same <(printf '%s\n' '1000 0 sched_switch' '1100 0 sched:exec' '1150 0 syscall_entry_futex' \
	'1190 0 irq_softirq_entry vec=9' '1200 0 sched:fork' '1350 0 irq_softirq_exit vec=9' '1400 0 sched_switch' \
	'2000 0 sched_switch' '2100 0 syscall_exit_futex' '4900 0 syscall_entry_sync' '5000 0 sched:exec' \
	'5100 0 sched:fork' '5200 0 sched:exec' '5300 0 syscall_exit_sync') <(seen late)
check "a late begin: packets hold what is in them" prints \
	$'0 1000 1200\n0 1350 1400\n0 2000 2100\n0 4900 5100\n0 5200 5300' packets late
check "a late begin: as many events and packets are lost" prints $'discarded 5 events\ndiscarded 1 packet' discarded late
check "a late begin: print finds nothing wrong" exits 0 "" print late.fxt
check "a late begin: latency finds as many lost" json 5 .lost latency -j late.fxt

# 20000 nested system calls: at most 16384 are split into begin and end, the others remain
# whole.
mktrace >deep.fxt <<'END'
put(*(event(1000 + i, 1, 1, b"syscall", b"x", kind=4, last=[10**6 - i]) for i in range(20000)))
END
convert deep.fxt -o deep.ctf
babeltrace deep.ctf --clock-cycles --no-delta 2>/dev/null | sed -E 's/^\[0*([0-9]+)\] ([^ ]+): .*/\1 \2/' >deep.events
check "too deep: all but the deepest become pairs" same <(printf '%s\n' 16384 16384 3616) \
	<(for name in syscall_entry_x syscall_exit_x syscall:x; do grep -c " $name$" deep.events; done)
check "too deep: in order" sort -c -n -k 1,1 deep.events
check "too deep: the outermost ends last" grep -qx "1000000 syscall_exit_x" <(tail -n 1 deep.events)

# ---- Heph's trace format ----

# bytes NAME: print the bytes that golden/heph/NAME.hex describes
bytes()
{
	perl -ne 's/#.*//; s/\s//g; print pack "H*", $_' "$golden/heph/$1.hex"
}

convert <(cat many.fxt) -o piped.heph --from fxt
check "a pipe is read once" cmp many.heph piped.heph
check "Heph: times out of order come back" came_back crowd heph
bytes vitrine >vitrine.bytes
check "Heph: as the specification has it" cmp vitrine.bytes \
	<(head -c "$(stat -c %s vitrine.bytes)" vitrine.heph)

# longest FILE: print the length of the longest packet
longest()
{
	perl -0777 -ne 'while (length) { $size = unpack "x4N"; exit 1 unless $size;
		$longest = $size if $size > $longest; $_ = substr $_, $size } END { print $longest }' "$1"
}

check "Heph: all kinds of records" round_trip records heph
check "Heph: what is left out is counted" grep -qx \
	"vitrine: records.fxt: left out, Heph's format cannot represent them: 4 blobs, 3 objects, 4 records of unknown kinds, 1 events, 1 arguments" \
	there.err
check "Heph: so are packets that Heph's own converter may refuse" grep -qx \
	"vitrine: records.fxt: 1 packets of more than 128 bytes, which Heph's own converter may refuse" there.err
# notes_of ARGUMENT...: print the names that vitrine's notes on standard input have
notes_of()
{
	"$vitrine" "$@" 2>&1 | sed 's/^vitrine: //; s/: .*//' | sort -u
}

rm -rf there.ctf; "$vitrine" convert records.fxt -o there.ctf 2>/dev/null
for out in heph ctf; do
	check "notes on a pipe, to $out: its name" same <(echo "standard input") \
		<(notes_of convert - -o "pipe.$out" <records.fxt)
done
check "notes on a pipe, from Heph: its name" same <(echo "standard input") \
	<(notes_of convert - -o pipe.fxt <records.heph)
check "notes on a trace that is converted twice: its name" same <(echo there.ctf) \
	<(notes_of convert there.ctf -o twice.heph)
# Pointers and truth values come back as numbers.
sed -e '/large-blob\|provider 7\| event   worker/d' -e 's/ null=null//' -e 's/=0xdeadbeef/=3735928559/; s/=true/=1/' \
	records.print >records.kept
check "Heph: the records that are not left out come back" same records.kept records.back.print
check "Heph: with a limit" exits 0 "1 events, 8 arguments$" convert records.fxt -o records.heph --packet-bytes 128
check "Heph: no packet is longer than the limit" test "$(longest records.heph)" -le 128
check "Heph: the smallest limit" refused "127 is not a size of at least" convert records.fxt -o records.heph --packet-bytes 127

bytes spec >spec.heph
check "Heph: the specification's examples: nothing is left out" exits 0 "" convert spec.heph -o spec.fxt
"$vitrine" print spec.fxt >spec.print
check "Heph: a duration with its attributes" same <(echo \
	'     0.000000100 [---] complete ?:1/0 heph:My event until 0.000000200 Test=123 Test2[0]=123.456 Test2[1]=789') spec.print
convert spec.fxt -o spec.back.heph
check "Heph: the specification's examples come back" cmp spec.heph spec.back.heph

# Events of another writer: streams, substreams, arrays, text of every length. "seven" has more
# elements than an event of FXT has room for, and an array without elements has no place there.
cat >heph.py <<'PYTHON'
import struct, sys
def text(value):
    return struct.pack(">H", len(value)) + value
def attribute(name, values):
    values, array = (values, 0x80) if isinstance(values, list) else ([values], 0)
    kind = 4 if values and isinstance(values[0], bytes) else 3 if values and isinstance(values[0], float) else \
           2 if any(value < 0 for value in values) else 1
    return text(name) + bytes([kind | array]) + (struct.pack(">H", len(values)) if array else b"") + \
        b"".join(text(value) if kind == 4 else struct.pack(">" + " Qqd"[kind], value) for value in values)
def event(stream, counter, substream, start, end, name, *attributes):
    rest = struct.pack(">IIQQQ", stream, counter, substream, start, end) + text(name) + b"".join(attributes)
    return struct.pack(">II", 0xc1fc1fb7, len(rest) + 8) + rest
sys.stdout.buffer.write(
    struct.pack(">IIH5sQ", 0x75d11d4d, 23, 5, b"epoch", 1700000000123456789) +
    event(3, 0, 0, 10, 10, b"instant") +
    event(0xffffffff, 0, 2**64 - 3, 20, 25, b"last", attribute(b"minus", [-1, 5]), attribute(b"plus", [7])) +
    event(3, 1, 9, 30, 30, b"", attribute(b"words", [b"", b"two", b"x" * 300]), attribute(b"after", 1)) +
    event(4, 0, 9, 40, 40, b"long" * 500, attribute(b"seven", list(range(16))), attribute(b"real", -2.5)) +
    event(4, 1, 9, 50, 50, b"none", attribute(b"empty", []), attribute(b"z[0]", 1), attribute(b"z[2]", 2)))
PYTHON
python3 heph.py >theirs.heph
check "Heph: arrays that do not fit are counted" exits 0 "cannot represent them: 2 arguments$" convert theirs.heph -o theirs.fxt
convert theirs.fxt -o back.heph
# What does not come back, and an attribute whose name is that of an array's only element.
python3 <(sed -e 's/, attribute(b"seven", list(range(16)))//' -e 's/attribute(b"empty", \[\]), //' \
	-e 's/attribute(b"z\[0\]", 1)/attribute(b"z", [1])/' heph.py) >wanted.heph
check "Heph: events of another writer come back" cmp wanted.heph back.heph
head -c 113 spec.heph >short.heph
check "Heph: cut short" exits 1 "short.heph: offset 0x17: packet is longer than the file" convert short.heph -o short.fxt
check "Heph: nothing is left behind" test ! -e short.fxt

# A thread without a name that has the largest possible id.
mktrace >last.fxt <<<'put(record(8, 0, 1, 0, 0, 2**64 - 1, 2**64 - 1))'
convert last.fxt -o last.ctf
check "CTF: a thread with the last id" grep -q 'next_tid = -1,' <(babeltrace last.ctf 2>/dev/null)

# Thread 41 of process 40 has no name, and no writer invents one.
for format in heph ctf; do
	round_trip waits $format
	check "$format: a thread without a name has none, and the others theirs" filtered \
		$'{"tid":11,"pid":10,"name":"alpha"}\n{"tid":21,"pid":20,"name":"be|ta<>&\\"\'"}\n{"tid":31,"pid":30,"name":"gamma"}\n{"tid":41,"pid":40}' \
		"jq -c '.in, .out, .thread | select(.tid > 0)' | sort -u" print --json waits.back.fxt
	check "$format: a thread without a name is no fault" sound waits.back.fxt
done

# Damaged parts are left out and reported, and the exit code is 1.
head -c 1500 many.fxt >cut.fxt
for out in cut.heph cut.ctf; do
	check "a damaged trace to $out" exits 1 "^vitrine: cut.fxt: offset 0x[0-9a-f]+: .*; left out$" convert cut.fxt -o $out
	check "a damaged trace to $out: the rest is there" test -s $out
done

# Without the plugin, the error names the package to install.
BABELTRACE_PLUGIN_PATH=$dir/empty convert many.fxt -o other.ctf
check "no plugin" ended 3 "needs babeltrace-plugin-vitrine.so; install the package vitrine-babeltrace"

plan

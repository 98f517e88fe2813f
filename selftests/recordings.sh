#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Twenty recordings, each with another clock, size or workload, by the recorder
# and from the flight recorder: all are valid.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

load
clocks=$(tr -d '[]' <"$TRACE/clock")

busy()
{
	ls -lR /usr/share >/dev/null
}

record()
{
	vitrine record -o /tmp/one.fxt -- "$@" && vitrine check /tmp/one.fxt
}

flight()
{
	cp "$TRACE/trace.fxt" /tmp/one.fxt && vitrine check /tmp/one.fxt
}

set_to()
{
	echo "$2" >"$TRACE/$1"
}

for clock in $clocks; do
	check "clock $clock" set_to clock "$clock"
	check "clock $clock: 3 threads" record "$WORKLOAD" crowd 3 5000
	check "clock $clock: 300 threads" record "$WORKLOAD" crowd 300 5000
	check "clock $clock: many short processes" record \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; /bin/ls / >/dev/null; done'
	check "clock $clock: flight recorder" flight
done
set_to clock local
for size in "8 4" "64 8" "4096 1024"; do
	set_to subbuf_kb 4
	set_to buffer_kb "${size% *}"
	check "sub-buffers of ${size#* } KiB" set_to subbuf_kb "${size#* }"
	check "sub-buffers of ${size#* } KiB: flight recorder" flight
	busy
	check "sub-buffers of ${size#* } KiB: flight recorder, later" flight
	check "sub-buffers of ${size#* } KiB: two at a time" \
		sh -c 'vitrine record -o /tmp/a.fxt -t 1 & vitrine record -o /tmp/b.fxt -t 1; wait $! &&
			vitrine check /tmp/b.fxt'
done

# The end of a recording of more than that size.
overwritten()
{
	vitrine record -o /tmp/one.fxt --overwrite 64K -- "$WORKLOAD" crowd 3 5000 &&
		[ "$(stat -c %s /tmp/one.fxt)" -le $((64 * 1024)) ] && vitrine check /tmp/one.fxt
}
set_to subbuf_kb 8
check "--overwrite" overwritten
set_to subbuf_kb 1024

# A name that changes, and one that is not UTF-8.
renamed()
{
	vitrine record -o /tmp/one.fxt -- perl -e '
		for my $name ("before", "after\xff\xc3") {
			open my $comm, ">", "/proc/self/comm";
			syswrite $comm, $name;
			select undef, undef, undef, 0.05;
		}' || return
	vitrine check /tmp/one.fxt && vitrine print /tmp/one.fxt | grep -q 'after??:'
}

check "a thread that changes its name" renamed

# subbuffers: number of sub-buffers of each CPU so far
subbuffers()
{
	value vitrine '.root.trace.cpus | to_entries | sort_by(.key) | .[].value.subbuffers'
}

# all_are_new: each CPU has begun a sub-buffer since $before
all_are_new()
{
	on_each_cpu /bin/true
	[ "$(paste <(echo "$before") <(subbuffers) | awk '$2 <= $1' | wc -l)" = 0 ]
}

# Names belong to ids, which are about to be used again. At this size, nothing else ends a
# sub-buffer.
if [ -w /proc/sys/kernel/ns_last_pid ]; then
	set_to buffer_kb 16384
	set_to subbuf_kb 1024
	on_each_cpu /bin/true
	check "ids are above the one to begin from" test "$(sh -c 'echo $$')" -gt 100
	# The module looks every ten seconds.
	sleep 11
	before=$(subbuffers)
	echo 100 >/proc/sys/kernel/ns_last_pid
	check "when ids are used again, each CPU begins a sub-buffer" until_true all_are_new
	set_to buffer_kb 4096
fi

# 40 threads, compressed in a pipe; their size with and without is printed.
piped()
{
	vitrine record -o - --zstd -- "$WORKLOAD" crowd 40 20000 2>/tmp/piped.log | cat >/tmp/one.fxt.zst
	vitrine check - </tmp/one.fxt.zst >/tmp/piped.check || return
	grep -q "^vitrine: standard output: [1-9][0-9]* switches" /tmp/piped.log
}

check "a pipe, compressed" piped
echo "# $(stat -c %s /tmp/one.fxt.zst) bytes compressed, of $(</tmp/piped.check)"

finish

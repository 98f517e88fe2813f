#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The programs of samples/ show what the command does of the same trees and rings.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit

reader=$VITRINE_SELFTESTS/reader
ring_reader=$VITRINE_SELFTESTS/ring_reader

# same_values COPY LINES: LINES are the properties of the tree COPY
same_values()
{
	vitrine show --json "$1" >/tmp/values.json || return
	same <(jq -r -f "$VITRINE_SELFTESTS/values.jq" /tmp/values.json | sort) \
	     <(jq -rR -f "$VITRINE_SELFTESTS/values.jq" "$2" | sort)
}

# copy_is_read TREE: the program finds in a copy what the command finds, and reads the tree itself
copy_is_read()
{
	cat "$1" >/tmp/copy.inspect &&
	"$reader" /tmp/copy.inspect >/tmp/copy.txt && same_values /tmp/copy.inspect /tmp/copy.txt &&
	"$reader" "$1" >/tmp/mapped.txt && grep -q ' = ' /tmp/mapped.txt
}

# still_tree_is_read TREE: likewise, of a tree that does not change
still_tree_is_read()
{
	copy_is_read "$1" && same /tmp/copy.txt /tmp/mapped.txt
}

load
for tree in "$INSPECT"/*.inspect; do
	check "${tree##*/}: the program prints its values" copy_is_read "$tree"
done
insmod "$VITRINE_PUBLISHER_KO" mode=idle steps=208
check "every type of value, copied and mapped" still_tree_is_read "$INSPECT/publisher.inspect"
rmmod publisher
insmod "$VITRINE_PUBLISHER_KO" mode=batch
check "reads a tree while it is edited" repeat 10 eval '
	"$reader" "$INSPECT/publisher.inspect" >/tmp/edited.txt &&
		jq -rR -f "$VITRINE_SELFTESTS/values.jq" /tmp/edited.txt | grep "^state = "'
rmmod publisher

# ---- rings ------------------------------------------------------------------

# records FILE: all its records
records()
{
	vitrine check "$1" >&2 && vitrine print --all "$1"
}

"$WORKLOAD" crowd 20 20000 >/dev/null
set_to enable 0
cat "$TRACE/trace.fxt" >/tmp/kernel.fxt
"$ring_reader" "$TRACE"/cpu* >/tmp/rings.fxt
check "rings: the file has the records of trace.fxt" same <(records /tmp/kernel.fxt) <(records /tmp/rings.fxt)
check "rings: there are some" grep -q crowd- <(records /tmp/rings.fxt)

# follow KB: begin a session with rings of this size, and follow them
follow()
{
	set_to subbuf_kb 32
	restart "$1"
	"$ring_reader" -f "$TRACE"/cpu* >/tmp/followed.fxt 2>/tmp/followed.log &
	reader_pid=$!
}

# session_ends: end it, and wait for the program
session_ends()
{
	set_to enable 0
	cat "$TRACE/trace.fxt" >/tmp/kernel.fxt
	set_to buffer_kb 4096
	wait $reader_pid
	status=$?
	sed 's/^/# /' /tmp/followed.log
}

# In streaming mode, nothing is overwritten that the program has not copied.
set_to mode streaming
follow 64
on_each_cpu "$WORKLOAD" crowd 20 20000
session_ends
check "follows until the session is over" test $status = 0
check "follows: what was copied is sound" vitrine check /tmp/followed.fxt
check "follows: it has the last records, too" fails grep . \
	<(comm -23 <(vitrine print /tmp/kernel.fxt | sort) <(vitrine print /tmp/followed.fxt | sort))
check "follows: the rings were reused" test "$(stat -c %s /tmp/followed.fxt)" -gt $((2 * 64 * 1024 * $(nproc)))

# Stopped, the program loses what is overwritten.
set_to mode circular
follow 64
on_each_cpu "$WORKLOAD" crowd 20 20000
until_true test -s /tmp/followed.fxt
kill -STOP $reader_pid
on_each_cpu "$WORKLOAD" crowd 20 20000
kill -CONT $reader_pid
session_ends
check "follows a flight recorder until the session is over" test $status = 0
check "loss: the file is sound, and its loss is seen" grep -q 'records lost' <(vitrine check /tmp/followed.fxt)
check "loss: the program reports it" grep -q 'recycled before they were copied' /tmp/followed.log

finish

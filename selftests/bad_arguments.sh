#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Invalid module parameters, settings and arguments of the command are refused with a
# clear message and change nothing.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/trace_lib.sh" || exit

# bad_parameter WORDS PARAM...: the module refuses to load, and logs WORDS
bad_parameter()
{
	local words=$1

	shift
	mark_log
	if load "$@"; then
		echo "loaded with $*"
		rmmod vitrine
		return 1
	fi
	marked_log | tee /dev/stderr | grep -qF -- "$words"
}

check "unknown clock" bad_parameter "clock=sundial: no such clock here" clock=sundial
check "clock of the wrong case" bad_parameter "no such clock here" clock=TSC
check "buffer_kb of 0" bad_parameter "must be powers of two" buffer_kb=0
check "buffer_kb not a power of two" bad_parameter "must be powers of two" buffer_kb=1000
check "buffer_kb above the limit" bad_parameter "must be powers of two" buffer_kb=2097152
check "subbuf_kb too small" bad_parameter "subbuf_kb between 4" subbuf_kb=2
check "subbuf_kb too large" bad_parameter "subbuf_kb between 4 and 1024" buffer_kb=8192 subbuf_kb=2048
check "subbuf_kb of the whole buffer" bad_parameter "at most half of buffer_kb" buffer_kb=64 subbuf_kb=64
check "a number that is none" bad_parameter "buffer_kb" buffer_kb=lots
check "enable neither yes nor no" bad_parameter "enable" enable=perhaps
check "stacks of an unknown word" bad_parameter "stacks=sunshine: no such setting" stacks=sunshine
check "no file is left of a module that was not loaded" test ! -e "$TRACE"

# Without the module, the command says how to load it.
check "show without the module" refuses 3 "modprobe vitrine" vitrine show
check "record without the module" refuses 3 "modprobe vitrine" vitrine record -o /tmp/none.fxt -- true
check "nothing recorded, no file" test ! -e /tmp/none.fxt

load enable=0 || exit 1

# unchanged FILE WORD: writing WORD fails with EINVAL, and FILE reads as before
unchanged()
{
	local before after said

	before=$(cat "$TRACE/$1")
	if said=$(printf '%s' "$2" 2>&1 >"$TRACE/$1"); then
		echo "accepted '$2'"
		return 1
	fi
	after=$(cat "$TRACE/$1")
	echo "said '$said', was '$before', is '$after'"
	grep -q "Invalid argument\|Numerical result" <<<"$said" && [ "$before" = "$after" ]
}

for word in 2 maybe " " "0 1" "$(printf %0300d 1)"; do
	check "enable: '${word:0:10}'" unchanged enable "$word"
done
for word in sundial TSC " " 1 "mono boot"; do
	check "clock: '$word'" unchanged clock "$word"
done
for word in 0 -1 3 1000 big " " 99999999999999999999; do
	check "buffer_kb: '$word'" unchanged buffer_kb "$word"
	check "subbuf_kb: '$word'" unchanged subbuf_kb "$word"
done
check "buffer_kb beyond the machine's memory" rejects buffer_kb "Cannot allocate memory" 1048576
check "the old session continues" grep -x 1024 "$TRACE/buffer_kb"
check "buffer_kb below two sub-buffers" unchanged buffer_kb 64
check "subbuf_kb above half the buffer" unchanged subbuf_kb 1024

# Valid words are accepted, with and without a newline.
set_to()
{
	printf '%b' "$2" >"$TRACE/$1" && grep -qF -- "$3" "$TRACE/$1"
}

check "clock: mono" set_to clock 'mono\n' '[mono]'
check "clock: boot" set_to clock 'boot' '[boot]'
check "buffer_kb: 256" set_to buffer_kb '256\n' 256
check "subbuf_kb: 16" set_to subbuf_kb '16' 16
check "enable: 1" set_to enable '1' '[1] 0'
check "enable: 1, again" set_to enable '1\n' '[1] 0'
check "size changes while recording" set_to buffer_kb '512\n' 512
check "recording continues after the size has changed" grep -qF '[1] 0' "$TRACE/enable"
check "enable: 0" set_to enable '0' '[0] 1'

# as_nobody COMMAND...: run it without any privilege
as_nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# Arguments of the command.
check "no command" refuses 2 "" vitrine
check "unknown command" refuses 2 "" vitrine dance
check "unknown option" refuses 2 "" vitrine show --dance
check "unknown tree" refuses 1 "nosuchtree" vitrine show nosuchtree
check "record while recording is off" refuses 3 "enable" vitrine record -o /tmp/none.fxt -- true
echo 1 >"$TRACE/enable"
check "record to a directory that is not there" refuses 3 "/nonexistent" vitrine record -o /nonexistent/x.fxt -- true
printf 'not a trace at all, nor a tree' >/tmp/foreign
for command in show print check; do
	check "$command a foreign file" refuses 1 "/tmp/foreign" vitrine $command /tmp/foreign
done
head -c 100 "$INSPECT/system.inspect" >/tmp/truncated.inspect
check "show a truncated tree" refuses 1 "/tmp/truncated.inspect" vitrine show /tmp/truncated.inspect
check "show as nobody" refuses 3 "root" as_nobody vitrine show
check "record as nobody" refuses 3 "root" as_nobody vitrine record -o /tmp/none.fxt -- true

# in_namespace COMMAND...: as root of a user namespace, who is nobody outside of it
in_namespace()
{
	as_nobody unshare --user --map-root-user --mount "$@"
}

# A bind mount shows the files, although debugfs itself is closed.
mkdir -p /tmp/bound /tmp/debugfs
mount --bind /sys/kernel/debug/vitrine /tmp/bound
for file in trace/{trace.fxt,cpu0,enable,clock} inspect/system.inspect; do
	check "nobody cannot open $file" \
		refuses 1 "Permission denied" as_nobody cat "/tmp/bound/$file"
	! in_namespace true || check "root of a user namespace cannot open $file" \
		refuses 1 "Permission denied" in_namespace cat "/tmp/bound/$file"
done
umount /tmp/bound
! in_namespace true || check "root of a user namespace cannot mount debugfs" \
	in_namespace sh -c '! mount -t debugfs none /tmp/debugfs'

finish

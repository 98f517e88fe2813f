#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The programs of samples/ end on any file that is not empty, with status 0 or 1, and read a tree
# as the command does. reader.sh of the module's selftests tests them on the files of the kernel.

. "$(dirname "$0")/command" || exit
# They do not free what they have until the end.
export ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99

# ends STATUS PROGRAM FILE: PROGRAM ends with a status of 0 to STATUS
ends()
{
	"$build/$2" "$3" >out 2>err
	[ $? -le "$1" ] || { echo "$3"; head err; return 1; }
}

# all_end FILE...: the reader ends on each file, and on the first three quarters of it
all_end()
{
	local file status=0

	for file; do
		head -c $(($(stat -c %s "$file") * 3 / 4)) "$file" >part.inspect
		ends 1 reader "$file" && { [ ! -s part.inspect ] || ends 1 reader part.inspect; } || status=1
	done
	return $status
}

for source in "$top"/selftests/golden/inspect/{,bad/}*.words; do
	"$words" "$source" >"$(basename "$source" .words).inspect"
done
mkdir corpus && tar -C corpus -xf "$top/selftests/fuzz/corpus/inspect.tar.xz"
check "trees: golden files, good and bad" all_end ./*.inspect
check "trees: what the fuzzer has found" all_end corpus/*

# An array of 200 numbers, the block of which would have 2048 bytes, in a tree of 64.
python3 -c 'import struct, sys
words = 0x50534e4900020201, 2, 64, 0, 7 | 11 << 8, 5 | 200 << 8, 0, 0
sys.stdout.buffer.write(struct.pack("<8Q", *words))' >beyond.inspect
check "trees: a block that reaches past the end" all_end beyond.inspect

# same_values NAME: in a golden file, everything is below a node with the name of the root
same_values()
{
	"$vitrine" show --json "$1.inspect" | jq -r -f "$top/selftests/values.jq" | sort >expected
	"$build/reader" "$1.inspect" | sed 's|^root/||' | jq -rR -f "$top/selftests/values.jq" | sort >values
	test -s values && same expected values
}

check "trees: every type of value" same_values v2-tree
check "trees: histograms" same_values v2-histograms

# ring NAME PACKET PRODUCER: a ring of two sub-buffers of 4096 bytes, the first of which has 512
# committed bytes, with other values than those
ring()
{
	python3 - "$2" "$3" >"$1" <<'PYTHON'
import struct, sys
packet = dict(generation=0, sequence=0, committed=512)
producer = dict(version=2, flags=0, nr=2, bytes=4096, sequence=0)
for values, words in (packet, sys.argv[1]), (producer, sys.argv[2]):
    values.update((key, int(value, 0)) for key, value in (word.split("=") for word in words.split()))
page = struct.pack("<8I3Q2I", 80, producer["version"], 0, 1, 0, producer["flags"], producer["nr"],
                   producer["bytes"], 10 ** 9, producer["sequence"], 0, 0, 0)
header = struct.pack("<11Q4I", 0x54454b4341505456, packet["generation"], packet["sequence"],
                     packet["committed"], 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 4096)
out = b"\0" * 4096 + page.ljust(4096, b"\0") + (b"\0" * 56 + header).ljust(8192, b"\0")
sys.stdout.buffer.write(out)
PYTHON
}

# copies BYTES PACKET PRODUCER: so many bytes are copied of such a ring
copies()
{
	ring ring "$2" "$3" && ends 1 ring_reader ring && test "$(stat -c %s out)" = "$1"
}

check "rings: a copy" copies 512 "" ""
check "rings: no record yet" copies 0 "" sequence=0xffffffffffffffff
check "rings: a sub-buffer that is being recycled" copies 0 generation=1 ""
check "rings: a sub-buffer that was recycled" copies 0 sequence=2 ""
check "rings: more bytes than the sub-buffer has" copies 0 committed=4104 ""
check "rings: no preamble" copies 0 committed=8 ""
check "rings: a wild sequence number" copies 0 "" sequence=0x7fffffffffffffff
check "rings: the largest one" copies 512 sequence=0xfffffffffffffffe sequence=0xfffffffffffffffe
check "rings: no sub-buffers" copies 0 "" nr=0
check "rings: sub-buffers of no bytes" copies 0 "" bytes=0
check "rings: sub-buffers that are no pages" copies 0 "" bytes=4095
check "rings: another version" copies 0 "" version=3

plan

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Files that are damaged, and disks that are full: every command ends, says what is wrong,
# and harms no file.

. "$(dirname "$0")/command" || exit

# ends ARGUMENT...: vitrine ends, with exit status 0, and writes little
ends()
{
	(ulimit -f 20000; timeout -k 1 60 "$vitrine" "$@" >out 2>err)
}

# ---- the last time that 64 bits can hold ----

traces last-time spans faults starved
for out in svg html; do
	for command in timeline flame; do
		check "$command: the last time, as $out" ends $command last-time.fxt -o $command.$out
	done
done
for command in latency print "cut --cpu 0 -o y.fxt" "merge -o y.fxt" "convert -o y.heph"; do
	# shellcheck disable=SC2086 # split into words on purpose
	check "$command: the last time" ends $command last-time.fxt
done
check "timeline: ticks up to the last time" prints 10 grep -c 'class="t"' timeline.svg

# Each of 20001 CPUs has a turn up to that time: one more than a picture has room for, and
# no length of a cell joins them.
mktrace >crowd.fxt <<'END'
put(*(switch(time, out, into, cpu=cpu) for time, out, into in ((1000, 0, 101), (2**64 - 1, 101, 0))
      for cpu in range(20001)))
END
check "timeline: more turns than cells can join" ends timeline crowd.fxt -o crowd.svg

# ---- a sub-buffer of a CPU that there cannot be ----

# A sub-buffer with another CPU in the first packet header.
for cpu in 65536 4294967294; do
	perl -0777 -pe 's/(VTPACKET.{80}).{4}/$1 . pack("L<", '"$cpu"')/se' spans.fxt >odd.fxt
	check "CPU $cpu: check" has "^odd.fxt: offset 0x0: sub-buffer without a packet header$" check odd.fxt
	rm -rf odd.ctf && "$vitrine" convert odd.fxt -o odd.ctf 2>err
	for command in "merge odd.fxt spans.fxt" "cut odd.fxt --from 1ns" "convert odd.ctf"; do
		# shellcheck disable=SC2086 # split into words on purpose
		check "CPU $cpu: $command" ends $command -o y.fxt
		check "CPU $cpu: $command makes no CPU of it" filtered true "jq -s 'map(.cpu // 0) | max < 4'" print -j y.fxt
	done
done

# ---- more names of interrupts than any machine has ----

mktrace >interrupts.fxt <<'END'
nr = 3000
subbuf(0, 1000, 1000)
put(switch(1000, 0, 101), *(event(1000 + 10 * i, 100, 101, b"irq", b"%07d" % i, kind=4,
                                  last=[1005 + 10 * i]) for i in range(nr)),
    switch(1000 + 10 * nr, 101, 0))
END
check "latency: 1024 names of interrupts, and the others" json '[1025,["(others)",1976]]' \
	'.threads[0].interrupted_by | [length, (.[0] | [.name, .count])]' latency -j interrupts.fxt
check "timeline: 1024 names of interrupts, and the others" drawn '[1025,"(others)"]' \
	'.names | [length, .[-1]]' interrupts.fxt

# ---- a gap before the first record ----

# The first sub-buffer has no record with a time; then 5 are lost, and a thread runs from 6 ms on.
mktrace >late.fxt <<'END'
ns = 6000000
subbuf(0, 1000, 1000)
subbuf(1, ns, ns + 1000, switch(ns, 0, 101), switch(ns + 1000, 101, 0), bytes_before=160, lost=5)
END
check "timeline: a gap before the first record is at the begin" drawn '[[0,0]]' '[.lanes[].gaps]' late.fxt

# ---- more faults than are printed ----

for out in heph ctf; do
	command_into_files convert faults.fxt -o faults.$out
	check "20 faults, to $out" test "$(cat status)" = 1
	check "20 faults, to $out: ten of them, and how many more" prints \
		$'     10 vitrine: faults.fxt: offset\n      1 vitrine: faults.fxt: 10 more left out' \
		bash -c "grep -E 'fxt: (offset .*; left out|10 more left out)$' err | sed 's/offset.*/offset/' | uniq -c"
done
check "20 faults, to ctf: nothing else" test "$(wc -l <err)" = 11
# shellcheck disable=SC2002 # standard input must be a pipe
cat faults.fxt | "$vitrine" convert - -o piped.ctf 2>err
check "20 faults of a pipe, to ctf: under its name" test "$(grep -c '^vitrine: standard input: ' err)" -ge 11

# ---- full disks ----

# full STATUS NAME PATTERN ARGUMENT...: in the directory "full", where no file may be longer than
# 1 KiB, vitrine ends with STATUS and one error that matches PATTERN, and the directory is as it was
full()
{
	(cd full && cp -r . ../before && limited 1 "$vitrine" "${@:4}" 2>../err
	echo $? >../status)
	check "full disk: $2" ended "$1" "$3"
	check "full disk: $2: nothing is left, and an old file stays" diff -r before full
	rm -rf before full/*
}

"$mkfxt" speed 20000 >long.fxt
"$vitrine" convert long.fxt -o long.ctf
mkdir full
full 3 "to ctf" "^vitrine: out.ctf: libbabeltrace2 cannot write it(: .*)?; make sure" convert ../long.fxt -o out.ctf
full 3 "from ctf" "^vitrine: out.fxt: cannot write: " convert ../long.ctf -o out.fxt
for command in timeline flame; do
	for out in svg html; do
		"$vitrine" $command starved.fxt -o full/old.$out
		full 3 "$command as $out" "^vitrine: old.$out: cannot write: " $command ../long.fxt -o old.$out
	done
done

# A disk has room for the streams of a trace, but not for its metadata, which babeltrace
# writes last, without a word about errors.
own_disk()
{
	unshare -rm bash -c '
		mount -t tmpfs -o size=300k tmpfs full || exit 5
		"$1" convert starved.fxt -o full/out.ctf || exit 6
		free=$(stat -f -c %f full) && need=$(du -k full/out.ctf/metadata | cut -f 1)
		rm -r full/out.ctf
		streams=$(($(stat -f -c %f full) - free - need / 4))
		head -c $((($(stat -f -c %f full) - streams) * 4096)) /dev/zero >full/ballast
		"$1" convert starved.fxt -o full/out.ctf
		status=$?
		ls full
		exit $status' - "$vitrine" >out 2>err
	echo $? >status
}
if unshare -rm mount -t tmpfs tmpfs full 2>/dev/null; then
	own_disk
	check "no room for the metadata" ended 3 "out.ctf: libbabeltrace2 cannot write it"
	check "no room for the metadata: nothing is left" test "$(cat out)" = ballast
else
	check "no room for the metadata # SKIP no file system can be mounted here" true
fi

# ---- the output is the input ----

cp starved.fxt same.svg
ln same.svg link.svg
for command in timeline flame; do
	check "$command: not into its input" refused "same.svg: this is the input" $command same.svg -o same.svg
	check "$command: nor by another name" refused "link.svg: this is the input" $command ./same.svg -o link.svg
	check "$command: the input stays" cmp starved.fxt same.svg
done
check "flame: not into the second of two" refused "same.svg: this is the input" flame starved.fxt same.svg -o same.svg

# ---- compressed files ----

# Without a loss, the second file has 2500 sub-buffers; a piece has 16 at most.
"$mkfxt" speed 1000000 >whole.fxt
"$vitrine" merge whole.fxt -o merged.fxt 2>/dev/null
"$vitrine" merge whole.fxt -o merged.fxt.zst 2>/dev/null
nr_switches=$("$vitrine" check --json merged.fxt | jq '.[].switches')

# pieces: print the offset of each piece of merged.fxt.zst
pieces()
{
	python3 -c '
import re
data = open("merged.fxt.zst", "rb").read()
print(*(match.start() for match in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), data)))'
}

# zeroes FILE OFFSET: overwrite 200 bytes of FILE
zeroes()
{
	dd if=/dev/zero of="$1" bs=1 seek="$2" count=200 conv=notrunc status=none
}

# nothing_wrong FILE: each switch of FILE is one of merged.fxt
nothing_wrong()
{
	"$vitrine" print "$1" 2>/dev/null | grep switch | sort >part.print
	"$vitrine" print merged.fxt | grep switch | sort | comm -13 - part.print >wrong.print
	[ -s part.print ] && [ ! -s wrong.print ]
}

read -ra at <<<"$(pieces)"
check "several pieces" test ${#at[@]} -gt 8
head -c $((at[4] - 20)) merged.fxt.zst >cut.zst
end=$(printf '0x%x' $((at[4] - 20)))
check "truncated: what is missing" exits 1 "^vitrine: cut.zst: offset $end: the compressed file is \
truncated; what follows is missing$" check cut.zst
check "truncated: what is there is read" test "$("$vitrine" check --json cut.zst 2>/dev/null | jq '.[].switches')" -gt $((nr_switches * 3 / ${#at[@]}))
check "truncated: no switch is wrong" nothing_wrong cut.zst
command_into_files latency - <cut.zst
check "truncated, on a pipe" grep -q "^vitrine: standard input: offset .* truncated" err

cp merged.fxt.zst torn.zst
zeroes torn.zst $((at[2] + 2000))
begin=$(printf '0x%x' "${at[2]}")
check "damaged: where, and how much" exits 1 "^vitrine: torn.zst: offset $begin: cannot decompress\
: .*; $((at[3] - at[2])) of $(stat -c %s torn.zst) bytes are damaged$" check torn.zst
check "damaged: what is behind is read" test "$("$vitrine" check --json torn.zst 2>/dev/null | jq '.[].switches')" -gt $((nr_switches * (${#at[@]} - 2) / ${#at[@]}))
check "damaged: every switch is there, or counted" test "$("$vitrine" check --json torn.zst 2>/dev/null | jq '.[] | .switches + .lost')" -ge "$nr_switches"
check "damaged: no switch is wrong" nothing_wrong torn.zst
zeroes torn.zst $((at[6] + 2000))
command_into_files check torn.zst
check "damaged twice" grep -q "; $((at[3] - at[2] + at[7] - at[6])) of .* bytes are damaged$" err
check "damaged twice: no switch is wrong" nothing_wrong torn.zst
# The pieces of another program end anywhere.
"$vitrine" convert merged.fxt -o chunks.fxt.zst
cp chunks.fxt.zst merged.fxt.zst
read -ra at <<<"$(pieces)"
zeroes chunks.fxt.zst $((at[2] + 2000))
check "damaged, with pieces that end anywhere: no switch is wrong" nothing_wrong chunks.fxt.zst
head -c 400000 </dev/zero | sed 's/\x00\x00\x00\x00/\x28\xb5\x2f\xfd/g' >magic.zst
check "nothing but magic numbers" exits 1 "magic.zst: offset 0x0: cannot decompress: " check magic.zst

plan

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libvitrine as installed: the exported symbols agree with the map, the header, the
# kernel-doc and the manual, and the example of each manual page builds and runs.

. "$(dirname "$0")/command" || exit
root=$dir/root
lib=$root/usr/lib
man=$root/usr/share/man
header=$root/usr/include/vitrine/vitrine.h
python=(env LD_PRELOAD="${SANITIZER:-}" ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH="$lib"
	PYTHONPATH="$lib/python3/dist-packages" python3 -c)

mkdir -p "$root"
check "make install" make -s -C "$top/tools" ${SANITIZER:+SAN=1} O="$build/tools" DESTDIR="$root" \
	PREFIX=/usr install

# ---- what is exported -------------------------------------------------------

sed -n 's/^\t\(vitrine_[a-z_]*\);$/\1/p' "$top/tools/lib/libvitrine.map" | sort >map

check "the soname is libvitrine.so.1" grep -F 'soname: [libvitrine.so.1]' \
	<(readelf -d "$lib/libvitrine.so")
check "all of the map is exported, as VITRINE_1, and nothing else" diff <(sed 's/$/@@VITRINE_1/' map) \
	<(nm -D --defined-only --with-symbol-versions "$lib/libvitrine.so.1" | awk '$2 != "A" { print $3 }' | sort)
check "the header declares what the map exports" diff map <(sed 's|/\*.*\*/||' "$header" |
	sed '\|/\*|,\|\*/|d' | grep -v '^typedef' | grep -o '\bvitrine_[a-z_]*(' | tr -d '(' | sort)
# Internal names of the archive must not collide with those of a program linked with it.
check "the archive has the same global names" diff map \
	<(nm --defined-only --extern-only "$lib/libvitrine.a" | awk 'NF == 3 { print $3 }' | sort)
check "every function has kernel-doc" diff map \
	<(sed -nE 's/^ \* (vitrine_[a-z_]*)\(\) - ..*/\1/p' "$top"/tools/lib/*.c | sort)

# ---- the manual -------------------------------------------------------------

# names PAGE: print the functions that the NAME section of PAGE lists
names()
{
	sed -n '/^\.SH NAME/,/\\-/p' "$1" | grep -oE '^vitrine_[a-z_]+'
}

check "every function is in the NAME of one page" diff map \
	<(for page in "$top"/Documentation/man/*.3; do names "$page"; done | sort)

# Remove white space and quotes from a declaration.
squeeze()
{
	tr -d ' \t\n"'
}

prototypes()
{
	local page prototype status=0

	for page in "$top"/Documentation/man/*.3; do
		sed -n '/^\.SH SYNOPSIS/,/^\.SH DESC/s/^\.BI\? //p' "$page" | grep -v '#include' |
			squeeze | sed 's/;/;\n/g' >prototypes
		[ "$(grep -c . prototypes)" = "$(names "$page" | wc -l)" ] || {
			echo "$page: one prototype for each name, please"
			status=1
		}
		while read -r prototype; do
			# Ignore the semicolon: an attribute may precede it in the header.
			squeeze <"$header" | grep -qF -- "${prototype%;}" || {
				echo "$page: not in vitrine.h: $prototype"
				status=1
			}
		done <prototypes
	done
	return "$status"
}
check "the pages' prototypes are those of the header" prototypes

check "man finds each function" diff map <(cd "$man/man3" && while read -r name; do
	[ ! -e "$name.3" ] || echo "$name"
done <"$dir/map")
check "groff has nothing to say against any page" same /dev/null \
	<(groff -t -man -Tutf8 -ww -z "$top"/Documentation/man/*.[1-8] 2>&1)

# ---- the examples -----------------------------------------------------------

# flags ARGUMENT...: run pkg-config for the library installed under $root
flags()
{
	PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
	PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
		pkg-config "$@" libvitrine
}

# build_example NAME LINK...: compile the example of the manual page NAME: the .EX block in its
# section EXAMPLES
build_example()
{
	sed '1,/^\.SH EXAMPLES/d' "$top/Documentation/man/$1.3" | sed -n '/^\.EX/,/^\.EE/p' |
		sed -e '/^\.E[XE]/d' -e 's/^\\&//' -e 's/\\-/-/g' -e 's/\\e/\\/g' >"$1.c"
	[ -s "$1.c" ] || { echo "no example"; return 1; }
	# shellcheck disable=SC2046 # split into words on purpose
	cc -std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter -Werror \
		${SANITIZER:+-fsanitize=address,undefined -fno-sanitize-recover=undefined} \
		$(flags --cflags) -o "$1" "$1.c" "${@:2}"
}

# prints_lines EXPECTED COMMAND: COMMAND, a line of the shell, succeeds and prints lines that match
# each line of EXPECTED
prints_lines()
{
	local said line

	said=$(LD_LIBRARY_PATH=$lib timeout 600 bash -o pipefail -c "$2" </dev/null 2>&1) ||
		{ echo "status $?: $said"; return 1; }
	while IFS= read -r line; do
		grep -qxE -- "$line" <<<"$said" || { echo "no line '$line' in: $said"; return 1; }
	done < <(printf '%b\n' "$1")
}

golden_tree v2-tree tree.inspect
traces vitrine
mv vitrine.fxt trace.fxt
start_rings

: >markers
for round in 0 1 2; do
	# shellcheck disable=SC2059
	printf "B||roundC\0\\$round\0\0\0\0\0\0\0roundsE"
done >expected.markers
twice=$((2 * $(stat -c %s trace.fxt)))

# The example of each page, the rest of the line that runs it, and what it prints
cat >examples <<END
libvitrine@tree.inspect trace.fxt@tree.inspect: a tree\ntrace.fxt: a trace, [1-9][0-9]* records
vitrine_error@tree.inspect@tree.inspect: this is format 1, not a trace; record one with vitrine record
vitrine_format@<trace.fxt@a Fuchsia trace
vitrine_source@tree.inspect@tree.inspect, read: 0 edits
vitrine_snapshot@tree.inspect | cmp - tree.inspect@
vitrine_hierarchy@tree.inspect@root\n  kid\n    uint
vitrine_value@tree.inspect uint@6
vitrine_inspect_check@<tree.inspect@[1-9][0-9]* values, 0 faults
vitrine_fxt@<trace.fxt@[1-9][0-9]* switches, 0 bad records
vitrine_fxt_check@trace.fxt@[1-9][0-9]* switches of [1-9][0-9]* threads in [0-9]+ ns, [0-9]+ lost
vitrine_archive@trace.fxt@[0-9]+ ns: cpu[0-9]+: .+ \([0-9]+\)
vitrine_ring@vitrine/trace/cpu0@cpu0: [1-9][0-9]* bytes, [1-9][0-9]* switches, 0 lost
vitrine_marker@markers && cmp markers expected.markers@round 0\nround 1\nround 2
vitrine_writer@twice.fxt trace.fxt trace.fxt && stat -c 'has %s' twice.fxt@$twice bytes\nhas $twice
END

mapfile -t shared <<<"$(flags --libs | tr ' ' '\n' | grep .)"
for page in "$top"/Documentation/man/*.3; do
	name=$(basename "$page" .3)
	check "$name(3): the example builds" build_example "$name" "${shared[@]}"
	IFS=@ read -r _ arguments expected \
		<<<"$(grep "^$name@" examples || echo "@@a line about $name in $0")"
	check "$name(3): the example runs" prints_lines "$expected" "./$name $arguments"
done

check "Python imports what is installed" prints -5 \
	"${python[@]}" 'import vitrine; print(vitrine.inspect("tree.inspect")["root"]["int"])'

python_markers()
{
	# Binary markers: a letter, a NUL, a number of 8 bytes, and the name.
	local minus_1='\377\377\377\377\377\377\377' seven='\7\0\0\0\0\0\0\0'
	local request="S\0\377${minus_1}requestF\0\377${minus_1}request"
	local hop="s\0${seven}hopt\0${seven}hopf\0${seven}hopE"

	: >markers
	"${python[@]}" '
import vitrine
with vitrine.Marker("markers") as marker:
    with marker.duration("caf\u00e9"):
        marker.instant("here")
        marker.counter("queue", -3)
        marker.async_begin("request", 2**64 - 1)
        marker.async_end("request", 2**64 - 1)
        marker.flow_begin("hop", 7)
        marker.flow_step("hop", 7)
        marker.flow_end("hop", 7)
marker.instant("closed")
try:
    vitrine.Marker("/nowhere")
except vitrine.Error as error:
    print(error.strerror)' | grep 'No such file' || return
	# shellcheck disable=SC2059
	cmp markers <(printf "B||caféI||hereC\0\375${minus_1}queue$request$hop")
}
check "Python writes markers" python_markers

build_example vitrine_fxt "$lib/libvitrine.a"
check "a program with the archive in it does not need the library" fails \
	grep libvitrine <(readelf -d vitrine_fxt)
check "a program with the archive in it runs" \
	prints_lines "[1-9][0-9]* switches, 0 bad records" "./vitrine_fxt <trace.fxt"

plan

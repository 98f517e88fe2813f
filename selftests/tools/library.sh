#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libvitrine as installed: the exported symbols agree with the map, the header, the
# kernel-doc and the manual, and the example of each manual page builds and runs.
#
# DIR holds tools/, the library built with sanitizers.

# shellcheck source-path=SCRIPTDIR source=command
. "$(dirname "$0")/command" || exit
root=$dir/root
lib=$root/usr/lib
man=$root/usr/share/man
rings=

end_rings()
{
	[ -z "$rings" ] || kill "$rings"
}
trap 'end_rings; rm -rf "$dir"' EXIT

mkdir -p "$root"

install_library()
{
	make -s -C "$top/tools" ${SANITIZER:+SAN=1} O="$build/tools" DESTDIR="$root" PREFIX=/usr install
}
check "make install" install_library

# ---- what is exported -------------------------------------------------------

sed -n 's/^\t\(vitrine_[a-z_]*\);$/\1/p' "$top/tools/lib/libvitrine.map" | sort >map

soname()
{
	readelf -d "$lib/libvitrine.so" | grep -F 'soname: [libvitrine.so.1]'
}
check "the soname is libvitrine.so.1" soname

exported()
{
	nm -D --defined-only --with-symbol-versions "$lib/libvitrine.so.1" |
		awk '$2 != "A" { print $3 }' | sort >exported
	diff <(sed 's/$/@@VITRINE_1/' map) exported
}
check "all of the map is exported, as VITRINE_1, and nothing else" exported

declared()
{
	sed 's|/\*.*\*/||' "$root/usr/include/vitrine/vitrine.h" |
		sed '\|/\*|,\|\*/|d' | grep -v '^typedef' |
		grep -o '\bvitrine_[a-z_]*(' | tr -d '(' | sort >declared
	diff map declared
}
check "the header declares what the map exports" declared

# Internal names of the archive must not collide with those of a program linked with it.
archived()
{
	nm --defined-only --extern-only "$lib/libvitrine.a" | awk 'NF == 3 { print $3 }' |
		sort | diff map -
}
check "the archive has the same global names" archived

kernel_doc()
{
	local name status=0

	while read -r name; do
		grep -qhE "^ \* $name\(\) - ." "$top"/tools/lib/*.c || { echo "$name"; status=1; }
	done <map
	return "$status"
}
check "every function has kernel-doc" kernel_doc

# ---- the manual -------------------------------------------------------------

# names PAGE: print the functions that the NAME section of PAGE lists
names()
{
	sed -n '/^\.SH NAME/,/\\-/p' "$1" | grep -oE '^vitrine_[a-z_]+'
}

named()
{
	local page

	for page in "$top"/Documentation/man/*.3; do
		names "$page"
	done | sort >named
	diff map named
}
check "every function is in the NAME of one page" named

# Remove white space and quotes from a declaration.
squeeze()
{
	tr -d ' \t\n"'
}

prototypes()
{
	local header page prototype status=0

	header=$(squeeze <"$root/usr/include/vitrine/vitrine.h")
	for page in "$top"/Documentation/man/*.3; do
		sed -n '/^\.SH SYNOPSIS/,/^\.SH DESC/s/^\.BI\? //p' "$page" | grep -v '#include' |
			squeeze | sed 's/;/;\n/g' >prototypes
		[ "$(grep -c . prototypes)" = "$(names "$page" | wc -l)" ] || {
			echo "$page: one prototype for each name, please"
			status=1
		}
		while read -r prototype; do
			# Ignore the semicolon: an attribute may precede it in the header.
			[[ $header == *"${prototype%;}"* ]] || {
				echo "$page: not in vitrine.h: $prototype"
				status=1
			}
		done <prototypes
	done
	return "$status"
}
check "the pages' prototypes are those of the header" prototypes

found()
{
	local name status=0

	while read -r name; do
		[ -e "$man/man3/$name.3" ] || { echo "man 3 $name: nothing"; status=1; }
	done <map
	return "$status"
}
check "man finds each function" found

well_formed()
{
	local page said status=0

	for page in "$top"/Documentation/man/*.[1-8]; do
		said=$(groff -t -man -Tutf8 -ww -z "$page" 2>&1)
		[ -z "$said" ] || { printf '%s\n' "$said"; status=1; }
	done
	return "$status"
}
check "groff has nothing to say against any page" well_formed

# ---- the examples -----------------------------------------------------------

# Print the example of a page: the .EX block in its section EXAMPLES.
extract()
{
	sed '1,/^\.SH EXAMPLES/d' "$1" | sed -n '/^\.EX/,/^\.EE/p' | sed '/^\.E[XE]/d' |
		sed -e 's/^\\&//' -e 's/\\-/-/g' -e 's/\\e/\\/g'
}

# flags ARGUMENT...: run pkg-config for the library installed under $root
flags()
{
	PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
	PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
		pkg-config "$@" libvitrine
}

# build_example NAME LINK...: compile the example of the manual page NAME
build_example()
{
	extract "$top/Documentation/man/$1.3" >"$1.c"
	[ -s "$1.c" ] || { echo "no example"; return 1; }
	# shellcheck disable=SC2046 # split into words on purpose
	cc -std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter -Werror \
		${SANITIZER:+-fsanitize=address,undefined -fno-sanitize-recover=undefined} \
		$(flags --cflags) -o "$1" "$1.c" "${@:2}"
}

# prints_lines EXPECTED COMMAND...: COMMAND succeeds and prints lines that match each line of
# EXPECTED. Its standard input is $FILE, if set.
prints_lines()
{
	local said line

	said=$(LD_LIBRARY_PATH=$lib timeout 600 "${@:2}" <"${FILE-/dev/null}" 2>&1) || { echo "status $?: $said"; return 1; }
	while IFS= read -r line; do
		grep -qxE -- "$line" <<<"$said" || { echo "no line '$line' in: $said"; return 1; }
	done <<<"$1"
}

"$words" "$golden/inspect/v2-tree.words" >tree.inspect
"$build/mkfxt" vitrine >trace.fxt
mkdir -p vitrine/trace
"$build/fake_rings" "$dir" >rings.log &
rings=$!
until [ -e vitrine/trace/cpu0 ]; do
	kill -0 $rings || break
	sleep 0.05
done

# same_bytes: the example copies the file byte by byte
same_bytes()
{
	LD_LIBRARY_PATH=$lib ./vitrine_snapshot tree.inspect | cmp - tree.inspect
}

# run_example NAME: run the example NAME and check its output
run_example()
{
	case $1 in
	libvitrine)
		prints_lines $'tree.inspect: a tree\ntrace.fxt: a trace, [1-9][0-9]* records' \
			"./$1" tree.inspect trace.fxt ;;
	vitrine_error)
		prints_lines "tree.inspect: this is format 1, not a trace; record one with vitrine record" \
			"./$1" tree.inspect ;;
	vitrine_format)
		FILE=trace.fxt prints_lines "a Fuchsia trace" "./$1" ;;
	vitrine_source)
		prints_lines "tree.inspect, read: 0 edits" "./$1" tree.inspect ;;
	vitrine_snapshot)
		same_bytes ;;
	vitrine_hierarchy)
		prints_lines $'root\n  kid\n    uint' "./$1" tree.inspect ;;
	vitrine_value)
		prints_lines $((-1 + 7)) "./$1" tree.inspect uint ;;
	vitrine_inspect_check)
		FILE=tree.inspect prints_lines "[1-9][0-9]* values, 0 faults" "./$1" ;;
	vitrine_fxt)
		FILE=trace.fxt prints_lines "[1-9][0-9]* switches, 0 bad records" "./$1" ;;
	vitrine_fxt_check)
		prints_lines "[1-9][0-9]* switches of [1-9][0-9]* threads in [0-9]+ ns, [0-9]+ lost" \
			"./$1" trace.fxt ;;
	vitrine_archive)
		prints_lines "[0-9]+ ns: cpu[0-9]+: .+ \([0-9]+\)" "./$1" trace.fxt ;;
	vitrine_ring)
		prints_lines "cpu0: [1-9][0-9]* bytes, [1-9][0-9]* switches, 0 lost" \
			"./$1" vitrine/trace/cpu0 ;;
	vitrine_marker)
		: >markers
		prints_lines $'round 0\nround 1\nround 2' "./$1" markers &&
			cmp markers <(for round in 0 1 2; do
				# shellcheck disable=SC2059
				printf "B||roundC\0\\$round\0\0\0\0\0\0\0roundsE"
			done) ;;
	vitrine_writer)
		prints_lines "$((2 * $(stat -c %s trace.fxt))) bytes" "./$1" twice.fxt trace.fxt trace.fxt &&
			[ "$(stat -c %s twice.fxt)" = $((2 * $(stat -c %s trace.fxt))) ] ;;
	*)
		echo "nothing is known about the example of $1: add it to $0"
		return 1 ;;
	esac
}

mapfile -t shared <<<"$(flags --libs | tr ' ' '\n' | grep .)"
for page in "$top"/Documentation/man/*.3; do
	name=$(basename "$page" .3)
	check "$name(3): the example builds" build_example "$name" "${shared[@]}"
	check "$name(3): the example runs" run_example "$name"
done

python_module()
{
	LD_PRELOAD=${SANITIZER:-} ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=$lib \
		PYTHONPATH=$lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 \
		python3 -c 'import vitrine; print(vitrine.inspect("tree.inspect")["root"]["int"])' |
		grep -x -e -5
}
check "Python imports what is installed" python_module

python_markers()
{
	# Binary markers: a letter, a NUL, a number of 8 bytes, and the name.
	local minus_1='\377\377\377\377\377\377\377' seven='\7\0\0\0\0\0\0\0'
	local request="S\0\377${minus_1}requestF\0\377${minus_1}request"
	local hop="s\0${seven}hopt\0${seven}hopf\0${seven}hopE"

	: >markers
	LD_PRELOAD=${SANITIZER:-} ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=$lib \
		PYTHONPATH=$lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 python3 -c '
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

linked_statically()
{
	build_example vitrine_fxt "$lib/libvitrine.a" &&
		! readelf -d vitrine_fxt | grep -F libvitrine &&
		FILE=trace.fxt prints_lines "[1-9][0-9]* switches, 0 bad records" ./vitrine_fxt
}
check "a program with the archive in it runs" linked_statically

plan

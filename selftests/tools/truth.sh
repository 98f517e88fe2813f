#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All reports on a recording say the same, and say what an independent computation says.
#
# RECORDINGS is the directory of the recordings: those of golden/recordings, or those that
# selftests/qemu/programs.sh has made, with what "vitrine record" said of them.

recordings=$(realpath "${RECORDINGS:-$(dirname "$0")/../golden/recordings}")
. "$(dirname "$0")/command" || exit

for file in "$recordings"/*.fxt*; do
	name=$(basename "${file%%.fxt*}")
	said=${file%%.fxt*}.said
	lost=${file%%.fxt*}.lost
	check "$name: time in each state" python3 "$here/truth.py" times "$vitrine" "$file"
	told=()
	[ ! -e "$said" ] || told=("$said" "$lost")
	check "$name: counts${told:+, and what record said}" \
		python3 "$here/truth.py" loss "$vitrine" "$file" "${told[@]}"
done

plan

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The Python bindings on every golden file.

# shellcheck source=command
. "$(dirname "$0")/command" || exit
for file in "$golden"/inspect/{,bad/}*.words; do
	"$words" "$file" >"$(basename "$file" .words).inspect"
done
# shellcheck disable=SC2046 # split into words on purpose
traces $("$mkfxt")

# Python does not free all of its memory. Other tests look for leaks of the library.
export ASAN_OPTIONS=detect_leaks=0
LD_PRELOAD=${SANITIZER:-} LD_LIBRARY_PATH=$build/tools PYTHONPATH=$top/tools/python \
	python3 "$here/python_test.py" "$vitrine" ./*.inspect ./*.fxt

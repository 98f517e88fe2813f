#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The Python bindings on every golden file.
#
#   python.sh VITRINE WORDS DIR
#
# DIR holds tools/, the library, and mkfxt.

set -u
vitrine=$(realpath "$1")
words=$(realpath "$2")
build=$(realpath "$3")
top=$(cd "$(dirname "$0")/../.." && pwd)
golden=$top/selftests/golden/inspect

dir=$build/python
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir" || exit 1
echo "TAP version 13"
for file in "$golden"/*.words "$golden"/bad/*.words; do
	"$words" "$file" >"$(basename "$file" .words).inspect"
done
for name in $("$build/mkfxt"); do
	"$build/mkfxt" "$name" >"$name.fxt"
done

# Python does not free all of its memory. Other tests look for leaks of the library.
export ASAN_OPTIONS=detect_leaks=0
LD_PRELOAD=${SANITIZER:-} LD_LIBRARY_PATH=$build/tools \
	PYTHONPATH=$top/tools/python PYTHONDONTWRITEBYTECODE=1 \
	exec python3 "$top/selftests/tools/python_test.py" "$vitrine" ./*.inspect ./*.fxt

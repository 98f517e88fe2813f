#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What "make" says if something is missing that it needs.

. "$(dirname "$0")/command" || exit
unset MAKEFLAGS MFLAGS

# says TEXT COMMAND...: COMMAND prints one line with TEXT
says()
{
	"${@:2}" >"$dir/said" 2>&1
	cat "$dir/said"
	[ "$(grep -cF "$1" "$dir/said")" = 1 ]
}

# on_other_kernel COMMAND...: run COMMAND where the running kernel is one without headers
on_other_kernel()
{
	PATH=$dir/bin:$PATH "$@"
}

# nothing_built: the tools that could not be built have left nothing
nothing_built()
{
	[ ! -e "$dir/tools" ]
}

mkdir -p "$dir/bin"
printf '#!/bin/sh\necho 6.1.0-none\n' >"$dir/bin/uname"
chmod 755 "$dir/bin/uname"
tools=(make -C "$top/tools" O="$dir/tools")

check "all missing packages are named in one line" \
	says "install these packages: gcc libc6-dev pkg-config libncurses-dev libutf8proc-dev" \
	"${tools[@]}" CC=/nowhere/cc PKG_CONFIG=/nowhere/pkg-config
check "before anything is built" nothing_built
check "only those that are missing" \
	says "install these packages: libncurses-dev libutf8proc-dev" "${tools[@]}" PKG_CONFIG=false
check "without headers, make names them" \
	says "the module needs linux-headers-6.1.0-none; KDIR=DIR names others" \
	on_other_kernel make -n -C "$top"
check "without headers, make builds the tools" grep -q "make.* -C tools all" "$dir/said"
check "without headers, make module fails" fails on_other_kernel make -C "$top" module
check "without the headers that were named, make fails" \
	fails on_other_kernel make -C "$top" KDIR="$dir" module
plan

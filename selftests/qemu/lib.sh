# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What the harness's programs share: where things are, how they fail, and how
# several of them fill one cache without stepping on each other.

set -euo pipefail

# The tools we drive are documented, and their output is parsed, in English.
export LC_ALL=C

# A make below another's is told of jobs it has no part in, and says so.
unset MAKEFLAGS MFLAGS

# apt, mke2fs and depmod are in sbin, which is not on everybody's PATH.
PATH=$PATH:/usr/sbin:/sbin

me=$(basename "$0")
qemu_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$qemu_dir/../.." && pwd)
export VITRINE_CACHE=${VITRINE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/vitrine}
cache=$VITRINE_CACHE
jobs=$(nproc)

# The suite whose root this runs in, and where what is built in it goes; both are
# empty outside of all roots.
suite=${VITRINE_SUITE:-}
build=${suite:+$top/build/$suite}

# Messages go to stderr: stdout carries results.
say()
{
	printf '%s: %s\n' "$me" "$*" >&2
}

die()
{
	say "$*"
	exit 3
}

# need COMMAND...: every command is there, or say which package list to install
need()
{
	local cmd

	for cmd; do
		command -v "$cmd" >/dev/null ||
			die "$cmd: not found; run 'make packages' first"
	done
}

# kernel_row NAME: set kernel_suite, kernel_arch, kernel_how and kernel_from to what the
# table of kernels has in the row of NAME; fails if there is none
kernel_row()
{
	local name

	while read -r name kernel_suite kernel_arch kernel_how kernel_from; do
		[ "$name" != "$1" ] || return 0
	done <"$qemu_dir/kernels"
	return 1
}

# kernel_names: all of them, a line each
kernel_names()
{
	awk '!/^#/ && NF { print $1 }' "$qemu_dir/kernels"
}

# enter SUITE ARGUMENT...: go on in the root of SUITE, by running this program there
# with these arguments, unless that is where it runs
enter()
{
	[ "$suite" != "$1" ] || return 0
	exec "$qemu_dir/suite" "$1" "$0" "${@:2}"
}

# enter_for KERNEL ARGUMENT...: the same, for the suite that KERNEL belongs to
enter_for()
{
	kernel_row "$1" || die "$1: unknown kernel; there are $(kernel_names | paste -sd' ')"
	enter "$kernel_suite" "${@:2}"
	[ "$kernel_arch" = amd64 ] || "$top/selftests/packages-install" "$kernel_arch"
}

# hash_of WORD...: a short name for what the words say
hash_of()
{
	printf '%s\n' "$@" | sha256sum | cut -c 1-12
}

# with_lock NAME COMMAND...: run COMMAND while nobody else holds NAME
#
# The lock is released when the command ends, however it ends. It is not passed
# on to what the command starts: a program left behind must not hold it.
with_lock()
{
	local file=$cache/lock/$1 fd

	shift
	mkdir -p "$cache/lock"
	exec {fd}>"$file"
	flock -n "$fd" || { say "waiting for another run to finish $file"; flock "$fd"; }
	("$@" {fd}>&-)
	exec {fd}>&-
}

# scratch VARIABLE: the path of a new directory in the cache, which is gone when
# this shell ends; what is worth keeping is moved out of it
scratch_dirs=()
scratch()
{
	mkdir -p "$cache/tmp"
	printf -v "$1" %s "$(mktemp -d "$cache/tmp/XXXXXX")"
	chmod 755 "${!1}"
	scratch_dirs+=("${!1}")
	trap 'rm -rf "${scratch_dirs[@]}"' EXIT
}

# logged FILE COMMAND...: run COMMAND silently; if it fails, show how it ended
logged()
{
	local log=$1 rc=0

	shift
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null || rc=$?
	[ "$rc" = 0 ] && return
	tail -n 30 "$log" >&2
	die "'$1' failed with status $rc; the whole log is $log"
}

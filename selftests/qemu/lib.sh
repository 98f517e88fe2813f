# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What the programs of the harness share: paths, errors, Debian's packages, and how several
# of them fill one cache without stepping on each other.

set -euo pipefail
shopt -s inherit_errexit

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

# The release of Debian in which this runs: the machine's, or that of a root which
# selftests/qemu/suite has entered; what is built in such a root is kept apart. VITRINE_ROOT
# is the machine's release then.
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
build=$top/build${VITRINE_ROOT:+/$suite}

# Console lines that fail a run, whatever its tests say.
reports='WARNING: |BUG:? |Oops|cut here|kernel BUG at|Kernel panic'
reports+='|UBSAN: |ODEBUG: |general protection fault|[Uu]nable to handle|invalid opcode'
reports+='|possible (circular|recursive|irq|unsafe)|inconsistent lock state|suspicious RCU'
reports+='|sleeping function called|scheduling while atomic|(list_add|list_del) corruption'
reports+='|refcount_t: |INFO: rcu|rcu: INFO|INFO: task .* blocked|soft lockup|hard LOCKUP'
reports+='|kmemleak: [1-9][0-9]* new suspected|stage0: no root'
reports="^(\[[^]]*\])* *(.{0,60}: )?($reports)"

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

# usage: print the comment at the top of the program, which is its help
usage()
{
	sed -n '4,/^$/s/^# \{0,1\}//p' "$0"
}

wrong_usage()
{
	usage >&2
	exit 2
}

# arguments LEAST MOST ARGUMENT...: print the help if it is asked for, or if there are less
# arguments or more
arguments()
{
	case ${3:-} in
	--help|-h)
		usage
		exit ;;
	esac
	[ $(($# - 2)) -ge "$1" ] && [ $(($# - 2)) -le "$2" ] || wrong_usage
}

# need COMMAND...: every command is there, or say which command installs it
need()
{
	local cmd

	for cmd; do
		command -v "$cmd" >/dev/null ||
			die "$cmd: not found; 'selftests/packages-install' installs or names the packages"
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

# need_debian: this is a release of Debian on which the tests run
need_debian()
{
	case $suite in
	bookworm|trixie) ;;
	*)	die "the tests run on Debian 12 and 13; elsewhere, run them in a container of one of these" ;;
	esac
}

# kernel_of NAME: the same as kernel_row, but an unknown NAME is an error
kernel_of()
{
	need_debian
	kernel_row "$1" || die "$1: unknown kernel; there are $(kernel_names | paste -sd' ')"
	[ "$kernel_suite" != own ] || kernel_suite=$suite
}

# enter SUITE ARGUMENT...: go on in the root of SUITE, by running this program there
# with these arguments, unless that is where it runs
enter()
{
	[ "$suite" != "$1" ] || return 0
	exec "$qemu_dir/suite" "$1" "$0" "${@:2}"
}

# enter_for KERNEL ARGUMENT...: the same for the release that KERNEL belongs to, with what
# compiles for its architecture
enter_for()
{
	kernel_of "$1"
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

# logged FILE COMMAND...: run COMMAND silently, with its output in FILE; if it fails, show how it
# ended. Meanwhile the log has a name of its own, as another run may have the same FILE.
logged()
{
	local log rc=0

	mkdir -p "$(dirname "$1")"
	log=$(mktemp "$1.XXXXXX")
	"${@:2}" >"$log" 2>&1 </dev/null || rc=$?
	[ "$rc" != 0 ] || { mv "$log" "$1"; return; }
	tail -n 30 "$log" >&2
	die "'$2' failed with status $rc; the whole log is $log"
}

# ---- Debian's packages ------------------------------------------------------

# indexes PATTERN: print the address of an archive that apt knows here, by its suite
indexes()
{
	{ env -u APT_CONFIG apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null ||
		true; } | awk -v pattern="$1" '$1 ~ pattern && $2 ~ /^https?:/ { print $2; exit }'
}

# sources SUITE: print a sources.list. The packages come from where apt has them from on
# this machine, or from VITRINE_MIRROR.
sources()
{
	local mirror=${VITRINE_MIRROR:-} security=${VITRINE_MIRROR:+${VITRINE_MIRROR%/}-security}
	local archives='^(bookworm|trixie|forky|sid|stable|testing|unstable)$'

	[ -n "$mirror" ] || mirror=$(indexes "$archives")
	# Without its lists, as in a minimal system, apt tells no address.
	if [ -z "$mirror" ] && [ "$(id -u)" = 0 ]; then
		logged "$cache/log/apt-lists" apt-get update
		mirror=$(indexes "$archives")
	fi
	[ -n "$mirror" ] || die "apt knows no mirror of Debian here; set VITRINE_MIRROR to the address of one"
	[ -n "$security" ] || security=$(indexes '^[a-z]+-security$')
	[ -n "$security" ] || security=${mirror%/}-security
	echo "deb $mirror $1 main"
	echo "deb $mirror $1-updates main"
	echo "deb $mirror $1-backports main"
	echo "deb $security $1-security main"
}

# apt_config DIR SUITE ARCH: make the configuration of an apt that knows SUITE and ARCH, and
# fetch its lists of packages, unless those in DIR are of today
apt_config()
{
	local dir=$1 archs='"amd64";'

	[ -z "$(find "$dir/fetched" -mmin -1440 2>/dev/null)" ] || [ -n "${update:-}" ] || return 0
	[ "$3" = amd64 ] || archs+=" \"$3\";"
	mkdir -p "$dir/lists/partial" "$dir/archives/partial"
	sources "$2" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-CONF
	APT::Architectures { $archs };
	APT::Sandbox::User "root";
	Acquire::Languages "none";
	Dir::Etc::SourceList "$dir/sources.list";
	Dir::Etc::SourceParts "/dev/null";
	Dir::Etc::Preferences "$top/selftests/packages-preferences";
	Dir::Etc::PreferencesParts "/dev/null";
	Dir::State::Lists "$dir/lists";
	Dir::Cache "$dir";
	CONF
	say "fetching the package lists of $2 for $3"
	APT_CONFIG=$dir/apt.conf logged "$cache/log/apt-update-$2" apt-get update
	touch "$dir/fetched"
}

# apt_for SUITE ARCH: from here on, apt is one that knows SUITE and ARCH. Neither the sources
# nor the lists of this machine change.
apt_for()
{
	local dir=$cache/apt/$1-$2

	unset APT_CONFIG
	with_lock "apt-$1-$2" apt_config "$dir" "$1" "$2"
	export APT_CONFIG=$dir/apt.conf
}

# packages_of SUITE GROUP...: print the packages that selftests/packages lists for these
# groups
packages_of()
{
	awk -v suite="$1" -v groups=" ${*:2} " \
		'index(groups, " " $1 " ") && ($3 == "" || $3 == suite) { print $2 }' \
		"$top/selftests/packages" | sort -u
}

# mmdebstrap_mode: print the way in which mmdebstrap may make a system here
mmdebstrap_mode()
{
	if [ "$(id -u)" = 0 ]; then
		echo root
	else
		echo fakechroot
	fi
}

# bootstrap SUITE TARGET OPTION...: make a minimal system with mmdebstrap
bootstrap()
{
	local work

	scratch work
	apt-config dump --format '%F "%v";%n' Acquire 2>/dev/null | grep '"[^"]' >"$work/apt.conf" || true
	sources "$1" >"$work/sources.list"
	logged "$cache/log/system-$1" mmdebstrap --mode="$(mmdebstrap_mode)" --aptopt="$work/apt.conf" \
		--dpkgopt=path-exclude='/usr/share/doc/*' --dpkgopt=path-exclude='/usr/share/locale/*' \
		--dpkgopt=path-exclude='/usr/share/man/*' "${@:3}" "$1" "$2" "$work/sources.list"
}

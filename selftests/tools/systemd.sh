#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The systemd units as installed, and the programs that they start.
#
#   systemd.sh VITRINE WORDS DIR
#
# DIR holds tools/, built with sanitizers.

set -u
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$(dirname "$0")/../tap.sh" || exit
build=$(realpath "$3")
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$build/systemd
units=$dir/usr/lib/systemd/system

rm -rf "$dir"
mkdir -p "$dir"
cd "$dir" || exit 1

# Install to a temporary prefix. The units name the programs there.
install_units()
{
	make -s -C "$top/tools" ${SANITIZER:+SAN=1} O="$build/tools" PREFIX="$dir/usr" SYSCONFDIR="$dir/etc" \
		PLUGINDIR="$dir/plugins" install &&
		! grep -n '@[A-Z]*@' "$units"/*
}
check "make install, and no name is left unfilled" install_units

# verify UNIT: systemd accepts each line of UNIT
verify()
{
	local said

	said=$(SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no "$units/$1" 2>&1) || {
		echo "status $?: $said"
		return 1
	}
	# Ignore warnings about other units of this machine.
	! grep -F vitrine <<<"$said"
}

# confined UNIT: systemd rates the exposure of UNIT below 3.0. Not for the recorder, which
# loads a module.
confined()
{
	local score

	score=$(systemd-analyze security --offline=yes "$units/$1" |
		sed -n 's/.*exposure level for [^:]*: \([0-9]*\)\.\([0-9]\).*/\1\2/p')
	echo "exposure, in tenths: $score"
	[ "${score:-99}" -lt 30 ]
}

for file in "$units"/*; do
	unit=$(basename "$file")
	check "$unit: systemd-analyze verify" verify "$unit"
	case $unit in
	*.timer|vitrine-recorder.service)
		;;
	*)
		check "$unit: systemd-analyze security" confined "$unit" ;;
	esac
done

# ---- keep-trace -------------------------------------------------------------

# A replacement of vitrine: writes the armed trigger to the output instead of waiting.
mkdir -p bin debugfs/vitrine/trace state
cat >bin/vitrine <<'SH'
#!/bin/sh
[ "$1 $2 $3" = "snapshot --wait --output" ] && cp "$VITRINE_DEBUGFS/vitrine/trace/trigger" "$4"
SH
chmod +x bin/vitrine

# keep [VARIABLE=VALUE]...: run keep-trace as its unit does
keep()
{
	(cd state && env PATH="$dir/bin:$PATH" VITRINE_DEBUGFS="$dir/debugfs" "$@" \
		"$dir/usr/libexec/vitrine/keep-trace")
}

kept()
{
	keep "VITRINE_TRIGGER=latency_us=5 panic" && ls state &&
		[ "$(cat state/trigger-2*Z.fxt)" = "latency_us=5 panic" ]
}
check "keep-trace arms the configured triggers and keeps one file" kept

by_default()
{
	rm -f state/*
	keep && [ "$(cat state/trigger-2*Z.fxt)" = "hung_task panic" ]
}
check "by default keep-trace arms the triggers that cost nothing" by_default

newest()
{
	local i

	rm -f state/*
	for i in 1 2 3 4 5; do
		touch "state/trigger-2001010${i}T000000Z.fxt"
	done
	keep VITRINE_KEEP=3 && ls state &&
		[ "$(find state -type f | wc -l)" = 3 ] && [ ! -e state/trigger-20010103T000000Z.fxt ] &&
		[ -e state/trigger-20010104T000000Z.fxt ] && [ -e state/trigger-20010105T000000Z.fxt ]
}
check "keep-trace keeps the newest files" newest

not_armed()
{
	rm -f state/*
	rm debugfs/vitrine/trace/trigger
	rmdir debugfs/vitrine/trace
	! keep && [ -z "$(ls state)" ]
}
check "without the module keep-trace fails and leaves no file" not_armed

# ---- load-recorder ----------------------------------------------------------

# A replacement of modprobe: fails with the error in MODPROBE_SAYS, if that is not empty.
cat >bin/modprobe <<'SH'
#!/bin/sh
echo "$*" >modprobe.called
[ -z "$MODPROBE_SAYS" ] || { echo "modprobe: $MODPROBE_SAYS" >&2; exit 1; }
SH
chmod +x bin/modprobe

# load_recorder SAYS: run load-recorder as its unit does; modprobe fails with the error SAYS
load_recorder()
{
	env PATH="$dir/bin:$PATH" MODPROBE_SAYS="$1" "$dir/usr/libexec/vitrine/load-recorder" \
		buffer_kb=64 trees=all >load.log 2>&1
}

loads()
{
	load_recorder "" && [ ! -s load.log ] &&
		[ "$(cat modprobe.called)" = "vitrine buffer_kb=64 trees=all" ]
}
check "load-recorder hands the parameters to modprobe, and is silent" loads

# explained SAYS HEADING: the log begins with modprobe's error and ends with a reference to
# the section HEADING of vitrine-recorder(8)
explained()
{
	! load_recorder "$1" || return
	cat load.log
	grep -qxF "modprobe: $1" load.log &&
		tail -n 1 load.log | grep -qF "see \"$2\" in vitrine-recorder(8)" &&
		grep -qxF ".SH \"$2\"" "$top/Documentation/man/vitrine-recorder.8"
}
for error in "Key was rejected by service" "Required key not available" "Operation not permitted"; do
	check "load-recorder: $error: names the page" \
		explained "ERROR: could not insert 'vitrine': $error" "SECURE BOOT"
done
check "load-recorder: no module: names the page" \
	explained "FATAL: Module vitrine not found in directory /lib/modules/6.1.0" "NEW KERNELS"

other_error()
{
	! load_recorder "ERROR: could not insert 'vitrine': Invalid argument" &&
		[ "$(wc -l <load.log)" = 1 ]
}
check "load-recorder adds nothing to any other error" other_error

plan

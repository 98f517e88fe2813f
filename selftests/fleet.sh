#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands in Documentation/fleet.rst work as printed, on traces that were recorded as
# vitrine-continuous.service does it.

. "${VITRINE_SELFTESTS:-$(dirname "$0")}/lib.sh" || exit
disruptive "/var/lib/vitrine and /var/lib/prometheus are removed"

# The Makefile extracts these lines from the unit and from the document.
mapfile -t lines <"$VITRINE_SELFTESTS/fleet.txt"
mkdir -p /tmp/fleet/bin /var/lib/vitrine/record /var/lib/prometheus/node-exporter
export PATH=/tmp/fleet/bin:$PATH
export VITRINE_ROTATE=64K VITRINE_FILES=4 VITRINE_RECORD=

# Replacements for the programs of others.
printf '#!/bin/sh\n[ "$1" = move ] && [ -d "$4" ] && ls "$4" | grep .\n' >/tmp/fleet/bin/rclone
printf '#!/bin/sh\n[ "$*" = "-m pip install perfetto" ]\n' >/tmp/fleet/bin/python3
printf '#!/bin/sh\n[ "$1 $2 $3" = "-q -d -f" ] && [ -s "$4" ]\n' >/tmp/fleet/bin/zstd
chmod +x /tmp/fleet/bin/*

load
cd /var/lib/vitrine/record || exit

# The command in the unit. systemd replaces %H, and the variables as a shell does.
start=${lines[0]//%H/$(hostname)}
check "the unit starts a recorder" grep -q '^vitrine record .*VITRINE_RECORD$' <<<"$start"

# ROTATE and FILES limit the disk: records until the first file has been removed. A file may be
# larger than ROTATE by a compressed piece, which is at most 1 MB. MemoryMax is 64 MiB.
limited()
{
	local peak_kb recorder status

	bash -c "exec $start" 2>/tmp/fleet/record.log &
	recorder=$!
	until [ -e "$(hostname).000006.fxt.zst" ]; do
		"$WORKLOAD" crowd 40 2000 >/dev/null
		kill -0 "$recorder" || break
	done
	peak_kb=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$recorder/status")
	echo "memory: at most $peak_kb kB"
	kill -TERM "$recorder"
	wait "$recorder"
	status=$?
	cat /tmp/fleet/record.log
	ls -l
	[ "$status" = 0 ] && [ "$peak_kb" -lt 65536 ] && [ ! -e "$(hostname).000001.fxt.zst" ] &&
		[ "$(find . -type f | wc -l)" = 4 ] && [ -z "$(find . -type f -size +1088k)" ]
}
check "the files and the memory of the recorder are limited" limited

# as_printed LINE: run the line in this shell, so that variables and the directory remain; set
# $status
as_printed()
{
	eval "$1" >/tmp/fleet/output 2>&1
	status=$?
	# Like diff(1), an exit status of 1 means that there are differences.
	[[ $1 != "vitrine diff"* || $status != 1 ]] || status=0
}

set -o pipefail
check "the page has commands" test ${#lines[@]} -gt 12
for line in "${lines[@]:2}"; do
	as_printed "$line"
	check "$line" eval 'tail -n 20 /tmp/fleet/output; exit $status'
	case $line in
	"for file"*"mv "*)
		check "the names sort, and nothing stays" eval \
			'[ "$(ls $store | grep -cE "^20[0-9]{6}T[0-9]{6}Z-.*\.[0-9]{6}\.fxt\.zst$")" = 4 ] && [ -z "$(ls)" ]' ;;
	"jq -s"*)
		check "the ten longest waits have the thread and the machine" grep -q "Z-$(hostname).*fxt.zst.*[0-9]$" /tmp/fleet/output ;;
	"vitrine cut"*)
		check "the anonymised attachment is a sound trace" vitrine check /tmp/attached.fxt ;;
	"grep -E"*)
		check "both of them" eval '[ "$(cut -d "{" -f 1 /tmp/fleet/output | sort -u | wc -l)" = 2 ]' ;;
	esac
done
cd /
rm -rf /tmp/fleet /srv/traces /var/lib/vitrine /var/lib/prometheus

finish

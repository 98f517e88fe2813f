#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest: load the module, record a workload, save the published trees, and write
# a report.

set -euo pipefail
inspect=/sys/kernel/debug/vitrine/inspect

# Two dozen threads pass tokens around, and two pipelines read and compress.
load()
{
	workload crowd 24 4000 &
	tar -C / -cf - usr/sbin | gzip -1 | wc -c &
	cat /proc/[0-9]*/maps | sort | uniq -c | wc -l &
	wait
} >/dev/null
export -f load

section()
{
	printf '\n%s\n%s\n' "$1" "${1//?/-}"
}

insmod "$VITRINE_KO"
vitrine record -o trace.fxt -- bash -c load 2>&1 | tee record.txt
cp "$inspect/vitrine.inspect" "$inspect/system.inspect" .
chmod 644 ./*.inspect
rmmod vitrine

vitrine show --json system.inspect >system.json
vitrine print trace.fxt >trace.txt
vitrine check trace.fxt vitrine.inspect system.inspect | tee check.txt

{
	printf 'What vitrine saw on Linux %s\n' "$(uname -r)"
	section "The recording"
	tail -n 1 record.txt
	cat check.txt
	section "Most often switched to"
	awk '/ ==> / {
		sub(/.* ==> /, "")
		sub(/:[0-9]+\/[0-9]+ .*/, "")
		nr[$0]++
	}
	END { for (name in nr) printf "%8d  %s\n", nr[name], name }' trace.txt |
		sort -rn | awk 'NR <= 15'
	section "The first switches"
	grep -m 15 ' ==> ' trace.txt
	section "The system, as system.inspect has it"
	vitrine show system.inspect
	section "The module, as vitrine.inspect has it"
	vitrine show vitrine.inspect
} >report.txt
rm record.txt check.txt trace.txt

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest: load the module, record a workload, keep what is published, and
# write a report of it all.

set -euo pipefail
inspect=/sys/kernel/debug/vitrine/inspect

insmod "$VITRINE_KO"
vitrine record -o trace.fxt -- workload crowd 24 2000 | tee record.txt
cp $inspect/vitrine.inspect $inspect/system.inspect .
vitrine show --json system.inspect >system.json
vitrine check trace.fxt vitrine.inspect system.inspect | tee check.txt
rmmod vitrine

{
	echo "What vitrine saw on Debian's $(uname -r), on $(nproc) processors"
	echo "================================================================"
	echo
	echo "The recording"
	echo "-------------"
	cat record.txt
	echo
	echo "The system"
	echo "----------"
	vitrine show system.inspect
	echo
	echo "The module"
	echo "----------"
	vitrine show vitrine.inspect
	echo
	echo "First switches"
	echo "--------------"
	vitrine print trace.fxt | grep -m 20 -i switch || true
} >report.txt
rm record.txt check.txt

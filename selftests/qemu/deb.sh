#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest whose disk deb_image has made: the packages are installed, work, and
# leave nothing behind when they are purged, which is done while the module is loaded.

packages=(vitrine-dkms vitrine-tools vitrine-babeltrace libvitrine1 libvitrine-dev
	  python3-vitrine)
tests=0
failed=0

# point WHAT COMMAND...: COMMAND succeeds
point()
{
	local what=$1 log

	shift
	tests=$((tests + 1))
	if log=$("$@" 2>&1); then
		echo "ok $tests $what"
	else
		echo "not ok $tests $what"
		printf '%s\n' "$log" | tail -n 40 | sed 's/^/# /'
		failed=1
	fi
}

installed()
{
	local package status=0

	for package in "${packages[@]}"; do
		dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$package" | grep ' installed$' || status=1
	done
	return "$status"
}

built()
{
	dkms status -m vitrine -k "$(uname -r)" | grep ': installed$' &&
		[ "$(modinfo -n vitrine)" = "/lib/modules/$(uname -r)/updates/dkms/vitrine.ko" ]
}

one_version()
{
	local version

	version=$(dpkg-query -W -f '${Version}' vitrine-tools)
	[ "$(vitrine --version)" = "vitrine $version" ] && dkms status -m vitrine -v "$version" | grep .
}

shows()
{
	vitrine show --json system | grep '"root"'
}

records()
{
	vitrine record -t 1 -o /tmp/trace.fxt && vitrine check /tmp/trace.fxt &&
		vitrine print -e switch /tmp/trace.fxt | grep -m 1 switch
}

python()
{
	python3 -c 'import vitrine
tree = vitrine.inspect("/sys/kernel/debug/vitrine/inspect/system.inspect")
print(len(tree["root"]), sum(r.kind == "switch" for r in vitrine.Archive("/tmp/trace.fxt")))' |
		grep -x '[1-9][0-9]* [1-9][0-9]*'
}

program()
{
	cat >/tmp/program.c <<-'C'
	#include <vitrine/vitrine.h>

	int main(int argc, char **argv)
	{
		enum vitrine_format format;

		return vitrine_format_of_file(argv[1], &format) || format != VITRINE_FORMAT_FXT;
	}
	C
	gcc-12 -o /tmp/program /tmp/program.c -lvitrine && /tmp/program /tmp/trace.fxt
}

# As vitrine-trigger.service has it, with a trigger that is due at once.
kept()
{
	mkdir /var/lib/vitrine && cd /var/lib/vitrine &&
		VITRINE_TRIGGER=latency_us=1 timeout 60 /usr/libexec/vitrine/keep-trace &&
		vitrine check trigger-*.fxt
}

documented()
{
	local page

	for page in man1/vitrine.1 man3/vitrine_fxt_next.3 man8/vitrine-trigger.8; do
		[ -s "/usr/share/man/$page.gz" ] || { echo "$page"; return 1; }
	done
}

not_loaded()
{
	[ ! -e /sys/module/vitrine ] && [ ! -e /sys/kernel/debug/vitrine ]
}

# What a package system, a linker and our harness keep for themselves is not ours.
nothing_left()
{
	(cd / && find . -xdev | sort) >/tmp/after
	diff /before /tmp/after | grep '^[<>]' |
		grep -vE '^[<>] \./(before|dev|out|run|tmp|vitrine|var/(cache|log|lib/dpkg))(/|$)' >/tmp/left
	cat /tmp/left
	[ ! -s /tmp/left ]
}

echo "TAP version 13"
point "the packages are installed" installed
point "DKMS has built the module for this kernel" built
point "module and command are of the packages' version" one_version
point "modprobe vitrine" modprobe vitrine
point "vitrine show" shows
point "vitrine record" records
point "Python" python
point "a program builds and runs" program
point "a trigger leaves a trace" kept
point "the manual is there" documented
point "purge, while the module is loaded" dpkg --purge "${packages[@]}"
point "the module is not loaded any more" not_loaded
point "no file is left behind, and none is missing" nothing_left
echo "1..$tests"
exit $failed

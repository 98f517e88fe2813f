#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest whose disk was made by deb_image: tests of the installed packages, in
# parts.
#
#   deb.sh PART...
#
#   start   systemd, which is process 1, has started the recorder at boot
#   use     module, command, library and Python work
#   refuse  the kernel does not trust the signature of the module: the unit says what to
#           do. Nothing can be loaded afterwards
#   purge   nothing is left of the packages; the module is loaded at first

packages=(vitrine-dkms vitrine-tools vitrine-babeltrace libvitrine1 libvitrine-dev
	  python3-vitrine)
tests=0
failed=0

# point WHAT CODE: CODE succeeds
point()
{
	local log

	tests=$((tests + 1))
	if log=$(eval "$2" 2>&1); then
		echo "ok $tests $1"
	else
		echo "not ok $tests $1"
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
		modinfo -n vitrine | grep "^/lib/modules/$(uname -r)/updates/dkms/vitrine\.ko"
}

one_version()
{
	local version

	version=$(dpkg-query -W -f '${Version}' vitrine-tools)
	[ "$(vitrine --version)" = "vitrine $version" ] && [ "$(modinfo -F version vitrine)" = "$version" ] &&
		dkms status -m vitrine -v "$version" | grep .
}

# refused ERROR: the unit fails to start with ERROR, and names the page that explains it
refused()
{
	local since

	since=$(date +%s)
	! systemctl start vitrine-flight-recorder.service || return
	journalctl --no-pager --since "@$since" -u vitrine-flight-recorder.service >/tmp/journal
	cat /tmp/journal
	grep "could not insert 'vitrine': $1" /tmp/journal &&
		grep 'see "SECURE BOOT" in vitrine-flight-recorder(8)' /tmp/journal &&
		[ "$(systemctl is-active vitrine-flight-recorder.service)" = failed ]
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
	cc -o /tmp/program /tmp/program.c -lvitrine && /tmp/program /tmp/trace.fxt
}

# greets MODULE: a driver's module that DKMS has installed counts a greeting in its tree
greets()
{
	modprobe "$1" && echo hello >"/sys/module/${1//-/_}/parameters/greet" &&
		vitrine show --json hello | grep '"greetings": *1' && rmmod "$1"
}

# A driver is a DKMS package of its own, which builds against the one of vitrine.
driver()
{
	cp -r /usr/share/doc/vitrine-dkms/examples/hello /usr/src/hello-1 &&
		dkms install hello/1 -k "$(uname -r)" && greets hello && greets hello-optional || return
	dkms remove hello/1 --all && rm -r /usr/src/hello-1
}

# Drivers of the kernel, which DKMS replaces: they load without vitrine, and publish when it comes.
# systemd's modprobe.d asks for no device of ifb.
ports()
{
	rmmod vitrine
	cp -r /vitrine/ports /usr/src/vitrine-ports-1 &&
		dkms install --force vitrine-ports/1 -k "$(uname -r)" && modprobe ifb numifbs=1 &&
		modprobe zram && modprobe vitrine &&
		vitrine show --json ifb | grep '"ifb0"' && vitrine show --json zram | grep '"zram0"' &&
		rmmod ifb zram && dkms remove vitrine-ports/1 --all && rm -r /usr/src/vitrine-ports-1
}

# As in vitrine-trigger.service, with a trigger that fires at once.
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

# Exempt are files of the package system, DKMS and the harness, and those that systemd
# writes at boot.
nothing_left()
{
	(cd / && find . -xdev | sort) >/tmp/after
	diff /before /tmp/after | grep '^[<>]' |
		grep -vE '^[<>] \./(before|install\.log|dev|out|run|tmp|vitrine|var/(cache|log|tmp|lib/(dpkg|systemd)))(/|$)' |
		grep -vE '^> \./(var/lib/dkms/mok\.(key|pub)|(etc|var)/\.updated)$' >/tmp/left
	cat /tmp/left
	[ ! -s /tmp/left ]
}

# The rings hold what ran since early in the boot, without any command.
part_start()
{
	point "systemd is process 1, and the recorder is enabled" \
		'[ "$(cat /proc/1/comm)" = systemd ] && systemctl is-enabled vitrine-flight-recorder.service'
	point "DKMS has built the module for this kernel" built
	point "the recorder has been started" '
		systemctl status --no-pager vitrine-flight-recorder.service
		[ "$(systemctl is-active vitrine-flight-recorder.service)" = active ] && [ -d /sys/module/vitrine ]'
	point "its rings hold what ran while the system started" '
		vitrine snapshot -o /tmp/boot.fxt && vitrine check /tmp/boot.fxt &&
			vitrine print -e switch /tmp/boot.fxt | grep -m 1 systemd'
}

part_use()
{
	point "the packages are installed" installed
	point "DKMS has built the module for this kernel" built
	point "DKMS has signed the module" \
		'modinfo -F signer vitrine | grep -x "DKMS module signing key"'
	point "under Secure Boot, installing says which key to enroll" \
		'grep -F "mokutil --import /var/lib/dkms/mok.pub" /install.log'
	point "module and command are of the packages' version" one_version
	point "modprobe vitrine" 'modprobe vitrine'
	point "vitrine show" 'vitrine show --json system | grep "\"root\""'
	point "vitrine record" '
		vitrine record -t 1 -o /tmp/trace.fxt && vitrine check /tmp/trace.fxt &&
			vitrine print -e switch /tmp/trace.fxt | grep -m 1 switch'
	point "Python" python
	point "a program builds and runs" program
	point "a driver that publishes builds as a DKMS package, and runs" driver
	[ ! -e /vitrine/ports ] || point "ifb and zram build as a DKMS package, and publish" ports
	point "a trigger leaves a trace" kept
	point "the manual is there" documented
}

part_refuse()
{
	point "the recorder is stopped" 'systemctl stop vitrine-flight-recorder.service'
	point "the module is not loaded any more" not_loaded
	point "the kernel is locked down" 'echo integrity >/sys/kernel/security/lockdown'
	point "the unit names the page that explains it" 'refused "Operation not permitted"'
	point "signatures are enforced" 'echo 1 >/sys/module/module/parameters/sig_enforce'
	point "the unit names the page that explains it" 'refused "Key was rejected by service"'
}

part_purge()
{
	point "purge, while the module is loaded" 'dpkg --purge "${packages[@]}"'
	point "the module is not loaded any more" not_loaded
	point "no file is left behind, and none is missing" nothing_left
}

echo "TAP version 13"
for part; do
	"part_$part"
done
echo "1..$tests"
exit $failed

# SPDX-License-Identifier: GPL-2.0
#
# The Makefile for humans. The kernel's build system reads Kbuild instead.

KDIR ?= /lib/modules/$(shell uname -r)/build
# Kernels for the selftests: the oldest, the newest, and another architecture. Everything
# else in "check" runs on 6.12.
KERNELS ?= 6.1 newest 6.12-arm64
RACE_KERNELS ?= 6.12 newest
DEMO_KERNEL ?= 6.12

# The Debian suite to build packages for: that of this machine, if it is known.
SUITE ?= $(or $(filter bookworm trixie,$(shell . /etc/os-release && echo $$VERSION_CODENAME)),bookworm)

lane := selftests/lane
run := selftests/qemu/run
# Two lanes may run the same script on the same kernel at the same time.
guest = $(run) --out build/qemu/$@
# Builds, and tests that need no guest, run in the root of a suite.
in := selftests/qemu/suite bookworm
in_build := build/bookworm

.PHONY: all module tools install doc clean help packages demo \
	check style host host-kunit library fuzz kunit debug-kunit kselftest \
	debug-kselftest rt-kselftest debug-rt soak cost metrics bench timeline harness \
	deb deb-test

all: module tools

help:
	@sed 's/^|//' <<<"$$help"

export define help
|On this machine
|  make                the module for the running kernel, and the tools; into build/
|  make install        install both (DESTDIR=, PREFIX=)
|  make deb            Debian packages of both, and of the library, for this machine's
|                      release of Debian (SUITE=bookworm, SUITE=trixie); into build/deb/
|  make doc            the pages of Documentation/ as HTML, and api.html, the reference of
|                      the functions for other modules, from kernel-doc; into build/doc/
|  KDIR=DIR            build for the kernel whose build directory this is
|
|In a guest, which QEMU emulates; nothing here is loaded into your own kernel
|  make demo           boot Debian's 6.12, record a workload, leave a trace and two
|                      trees in build/demo/
|  make check          every test; the last line has the sum. Logs go to build/log/
|  make check ONLY="LANE..."
|                      these lanes alone
|
|One part of it
|  make style          checkpatch, sparse, kernel-doc, spelling, layers, licences
|  make host           KUnit suites and library tests, here, under ASan and UBSan
|  make fuzz           every decoder on hostile bytes (FUZZ_RUNS=$(FUZZ_RUNS))
|  make kunit          KUnit suites here, and in a kernel with KASAN, lockdep, ...
|  make kselftest      selftests on stock kernels (KERNELS="$(KERNELS)")
|  make cost           instructions that switches, publisher calls and snapshots cost
|  make metrics        what promtool says of the metrics of a busy guest
|  make latency        whether perf says the same of who waited how long
|  make bench          measure ftrace, perf, BPF and us; write performance.rst
|  make timeline       what `vitrine timeline' draws of the demo, in a browser;
|                      screenshots go to build/timeline/
|  make lttng          what LTTng records of a guest, converted there and back
|  make cpus           record, and stream, 32 CPUs
|  make recover        two guests panic; their trace and trees are found in memory
|  make soak           everything at once, $(SOAK) s each, where KASAN and lockdep, and
|                      where KCSAN watches
|  make debug-rt       KUnit suites and selftests in a kernel with PREEMPT_RT and KASAN,
|                      lockdep, ...
|  make deb-test       install the packages, use them, upgrade the kernel, purge them; on
|                      Debian 12 and 13
|  make harness        the test of the tests: a dead guest can not pass
|  make packages       make the roots in which all this is built, in ~/.cache/vitrine
|  make clean          remove build/; ~/.cache/vitrine keeps kernels and images
|
|One script in one guest: selftests/qemu/run --help
endef
help: SHELL := /bin/bash

# ---- this machine -----------------------------------------------------------

module:
	@dir=$$(selftests/qemu/module $(KDIR)) && \
	ln -sfn $${dir#$(CURDIR)/build/}/vitrine.ko build/vitrine.ko && \
	echo build/vitrine.ko

tools:
	@$(MAKE) -s -C tools all
	@echo build/tools/vitrine

install: all
	$(MAKE) -s -C tools install
	install -D -m 644 build/vitrine.ko \
		$(DESTDIR)/lib/modules/$(shell $(MAKE) -s -C $(KDIR) kernelrelease)/updates/vitrine.ko
	[ -n "$(DESTDIR)" ] || depmod

doc: packages-bookworm
	@$(in) Documentation/build-pages build/doc
	@echo build/doc/api.html

packages-deb:
	@selftests/packages-install deb

deb:
	@selftests/qemu/suite $(SUITE) selftests/packages-install deb -- debian/build-packages build/deb
	@ls build/deb/*.deb

# Not in "check": building the packages, and the module for each kernel, takes longer than
# all other lanes.
deb_test_lanes := deb-test-bookworm deb-test-trixie
.PHONY: $(deb_test_lanes)
$(deb_test_lanes): deb-test-%:
	@$(lane) $@ selftests/qemu/deb_test $*
deb-test: $(deb_test_lanes)

clean:
	rm -rf build

# ---- guests -----------------------------------------------------------------

# Make each root once for all lanes; otherwise the first lane that needs it would.
package_roots := packages-bookworm packages-trixie
.PHONY: $(package_roots)
packages-bookworm:
	@selftests/qemu/suite bookworm selftests/packages-install check
packages-trixie:
	@selftests/qemu/suite trixie selftests/packages-install check -- selftests/packages-install arm64
packages: $(package_roots)

demo:
	@$(run) --kernel $(DEMO_KERNEL) --bring module,tools,workload --out build/demo --timeout 180 \
		-- selftests/qemu/demo.sh
	@printf '#!/bin/sh\nexec %s %s %s "$$@"\n' $(CURDIR)/selftests/qemu/suite bookworm \
		$(CURDIR)/$(in_build)/tools/vitrine >build/demo/vitrine && chmod 755 build/demo/vitrine
	@echo
	@sed 's/^|//' <<<"$$demo_made"

export define demo_made
|build/demo/trace.fxt         every context switch: open it at ui.perfetto.dev, or
|                             build/demo/vitrine print build/demo/trace.fxt
|build/demo/system.inspect    the system's state, as published: build/demo/vitrine show it
|build/demo/system.json       the same as JSON
|build/demo/vitrine.inspect   the module's own state
|build/demo/report.txt        a summary in text
|build/demo/vitrine           the command, as it was built for the guest
endef
demo: SHELL := /bin/bash

# ---- tests ------------------------------------------------------------------
#
# Each lane prints TAP; selftests/lane counts it.

style: packages
	@$(lane) $@ $(in) selftests/style

# Checks that need the headers of the newest kernel.
.PHONY: style-trixie
style-trixie: packages
	@$(lane) $@ selftests/qemu/suite trixie selftests/style warnings_newest tools

host-kunit: packages
	@$(lane) $@ $(in) make -s -C selftests/host O=$(CURDIR)/$(in_build)/host check

# Its own runner prints the summary; the output of each test is in its log.
library_lanes := library-bookworm library-trixie
.PHONY: $(library_lanes)
$(library_lanes): library-%: packages
	@rm -rf build/$*/selftests-tools/logs
	@$(lane) $@ selftests/qemu/suite $* sh -c \
		'make -s -C selftests/tools O=$(CURDIR)/build/$*/selftests-tools check >/dev/null; \
		status=$$?; cat build/$*/selftests-tools/logs/*.log; exit $$status'
library: $(library_lanes)

host: host-kunit library

# A fuzzer that completes its runs without a finding is a passed test. As many as there are
# CPUs run in parallel.
FUZZ_RUNS ?= 300000
fuzzers := $(patsubst selftests/fuzz/fuzz_%.c,%,$(wildcard selftests/fuzz/fuzz_*.c))
fuzz: packages
	@rm -f $(in_build)/fuzz/fuzz_*.passed
	@$(lane) $@ $(in) sh -c 'make -s -k -j 2 -C selftests/fuzz O=$(CURDIR)/$(in_build)/fuzz \
		RUNS=$(FUZZ_RUNS) $(fuzzers:%=fuzz-%); \
		for name in $(fuzzers); do nr=$$((nr + 1)); \
			[ -e $(in_build)/fuzz/fuzz_$$name.passed ] || printf "not "; \
			echo "ok $$nr fuzz_$$name"; done; echo "1..$$nr"'

# Check the metrics of a busy guest with Prometheus' own tool.
metrics: packages
	@rm -rf build/metrics
	@$(lane) $@ $(in) sh -c '$(run) --kernel 6.12 --out build/metrics -- selftests/qemu/metrics.sh && \
		selftests/qemu/promtool build/metrics'

debug-kunit: packages
	@$(lane) $@ $(guest) --kernel debug --smp 4 --bring module --timeout 900 -- selftests/qemu/kunit.sh

# Tests of locking, freeing and unloading, under lockdep and KASAN.
debug-kselftest: packages
	@$(lane) $@ $(guest) --kernel debug $(kselftest) map publisher.sh hotplug.sh unload.sh fault_injection \
		lazy.sh retained.sh liar.sh soak.sh

# Tests that need four CPUs.
.PHONY: smp-kselftest
smp-kselftest: packages
	@$(lane) $@ $(guest) --kernel 6.12 --smp 4 --timeout 1800 -- selftests/qemu/kselftest.sh order.sh bytes.sh swap.sh

# Stream from four CPUs at the highest rate. "cost" measures the CPU time on one CPU.
.PHONY: streaming
streaming: packages
	@$(lane) $@ $(guest) --kernel 6.12 --smp 4 --icount --timeout 900 -- selftests/qemu/kselftest.sh streaming.sh

# PREEMPT_RT reports code that sleeps where it must not.
rt-kselftest: packages
	@$(lane) $@ $(guest) --kernel 6.12-rt $(kselftest) map publisher.sh lazy.sh retained.sh trees.sh sched_switch.sh

# Not in "check", which has a short run: these take long, and need kernels of their own.
SOAK ?= 600
soak_lanes := soak-debug soak-kcsan
.PHONY: $(soak_lanes)
$(soak_lanes): soak-%: packages
	@$(lane) $@ $(guest) --kernel $* --smp 4 --timeout $$((4 * $(SOAK) + 600)) -- soak.sh $(SOAK)
soak: $(soak_lanes)

debug_rt_tests := publisher.sh lazy.sh retained.sh trees.sh fault_injection liar.sh soak.sh
.PHONY: debug-rt-kunit debug-rt-kselftest
debug-rt-kunit: packages
	@$(lane) $@ $(guest) --kernel debug-rt --smp 4 --bring module --timeout 1800 -- selftests/qemu/kunit.sh
debug-rt-kselftest: packages
	@$(lane) $@ $(guest) --kernel debug-rt $(kselftest) $(debug_rt_tests)
debug-rt: debug-rt-kunit debug-rt-kselftest

kunit: host-kunit debug-kunit

kselftest := --smp 2 --timeout 1800 -- selftests/qemu/kselftest.sh
kselftest_lanes := $(addprefix kselftest-,$(KERNELS))
# On arm64, where a test takes twice the time, only the tests of the module run: the command is
# the same.
kselftest-6.12-arm64: kselftest += map ring_poll clock.sh publisher.sh trees.sh events.sh marker.sh \
	ftrace_events.sh all.sh sched_switch.sh ring_loss.sh modes.sh liar.sh trigger.sh stacks.sh \
	cgroup.sh why.sh hotplug.sh lazy.sh retained.sh unload.sh lockdown.sh
$(kselftest_lanes): kselftest-%: packages
	@$(lane) $@ $(guest) --kernel $* $(kselftest)

race_lanes := $(addprefix race-,$(RACE_KERNELS))
$(race_lanes): race-%: packages
	@$(lane) $@ $(guest) --kernel $* --parallel $(kselftest) --race

.PHONY: $(kselftest_lanes) $(race_lanes)
kselftest: $(kselftest_lanes) $(race_lanes)

# Kernels on which all costs are measured, and others for those of events.
cost_lanes := cost-6.12 cost-newest cost-6.12-arm64
.PHONY: $(cost_lanes) cost-6.1
cost-6.12: cost_tests := cost.sh cost_events.sh cost_inspect.sh snapshot_cost streaming.sh
cost-newest: cost_tests := cost.sh cost_events.sh
cost-6.12-arm64: cost_tests := cost.sh cost_events.sh
cost-6.1: cost_tests := cost.sh cost_events.sh
$(cost_lanes) cost-6.1: cost-%: packages
	@$(lane) $@ $(guest) --kernel $* --icount --timeout 900 -- selftests/qemu/kselftest.sh $(cost_tests)
cost: $(cost_lanes) cost-6.1

# Compare wakeup latencies with those of perf.
.PHONY: latency
latency: packages
	@$(lane) $@ $(guest) --kernel 6.12 --icount --with linux-perf --timeout 900 --silence 900 \
		-- selftests/peers/latency.sh

# Not a test: compares vitrine with other tracers, and writes Documentation/performance.rst.
bench: cost
	@$(in) selftests/packages-install bench -- selftests/peers/bench

# Not in "check": the browser takes 400 MB.
timeline: demo
	@$(lane) $@ $(in) selftests/packages-install timeline -- \
		selftests/timeline $(in_build)/tools/vitrine build/demo/trace.fxt build/timeline

# On 32 CPUs, no switch waits for another CPU.
.PHONY: cpus
cpus: packages
	@$(lane) $@ $(guest) --kernel 6.12 --smp 32 --icount --timeout 1800 --silence 1800 -- selftests/qemu/kselftest.sh cpus.sh

.PHONY: recover
recover: packages
	@$(lane) $@ $(in) selftests/qemu/recover.sh

# Convert LTTng's recording of a guest's kernel there and back.
.PHONY: lttng
lttng: packages
	@$(lane) $@ $(in) selftests/qemu/lttng.sh

harness: packages
	@$(lane) $@ $(in) selftests/qemu/selftest.sh

# Two lanes in parallel, and all of them whatever fails: a guest emulates its CPUs in one
# thread, which occupies one CPU. The debug kernel, if it has to be built, is ready when its
# lanes begin, and short lanes are last, so that both CPUs are in use until the end. The output
# of each test is in the logs.
every_lane := $(kselftest_lanes) host-kunit $(library_lanes) $(race_lanes) debug-kselftest debug-kunit style fuzz $(cost_lanes) rt-kselftest harness recover style-trixie metrics latency smp-kselftest streaming cpus
lanes := $(or $(ONLY),$(every_lane))
check:
	$(if $(filter-out $(every_lane),$(ONLY)),$(error ONLY=$(ONLY): the lanes are $(every_lane)))
	@$(MAKE) --no-print-directory -s -j 2 packages
	@mkdir -p build/log; rm -f build/log/*.count build/log/*.failures; \
	$(if $(filter debug-%,$(lanes)),selftests/qemu/kernel debug >build/log/debug-kernel.log 2>&1 &) \
	LANE_BRIEF=1 $(MAKE) --no-print-directory -s -k -j 2 $(lanes) || true; \
	for lane in $(lanes); do \
		printf '# %-16s ' $$lane; $(lane) --total $$lane || true; \
	done; \
	$(lane) --failures $(lanes); \
	$(lane) --total $(lanes)

# SPDX-License-Identifier: GPL-2.0
#
# The Makefile for humans. The kernel's build system reads Kbuild instead.

KDIR ?= /lib/modules/$(shell uname -r)/build
# The release of Debian that this machine has, and its kernel.
SUITE ?= $(shell . /etc/os-release && echo $$VERSION_CODENAME)
stock_kernel := $(if $(filter trixie,$(SUITE)),6.12-trixie,6.1)

lane := selftests/lane
run := selftests/qemu/run
# Two lanes may run the same script on the same kernel at the same time.
guest = $(run) --out build/qemu/$@
need := selftests/packages-install

.PHONY: all module in-tree tools install doc clean help demo check check-all bench bench-nanoseconds timeline deb deb-test

# Without headers, "make" builds the tools alone, unless KDIR was given.
needs_headers := the module needs linux-headers-$(shell uname -r); KDIR=DIR names others
all: tools
ifneq ($(wildcard $(KDIR)/Makefile)$(filter-out file,$(origin KDIR)),)
	@$(MAKE) --no-print-directory module
else
	@echo "$(needs_headers)"
endif

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
|  make in-tree LINUX=DIR
|                      put the module into a kernel tree, as lib/vitrine/
|
|In a guest, which QEMU emulates; nothing here is loaded into your own kernel
|  make demo           boot Debian's kernel, record a thread that waits for a lock, explain
|                      why it waits, and draw the recording; into build/demo/
|  make check          the tests of a change, in 15 minutes. Logs go to build/log/
|  make check-all      every test, in about an hour, most as root only
|  make LANE           one lane of these, which selftests/lanes describes, such as
|                      kunit, kselftest-stock, command, host-kunit, style, cost-6.12
|  make LANE TESTS="why.sh..."
|                      only these tests of it
|
|Before a release
|  make soak           everything at once, $(SOAK) s each, where KASAN and lockdep, and
|                      where KCSAN watches
|  make debug-rt       KUnit suites and selftests in a kernel with PREEMPT_RT and KASAN,
|                      lockdep, ...
|  make deb-test       install the packages, use them, upgrade the kernel, purge them; on
|                      Debian 12 and 13
|  make lttng          what LTTng records of a guest, converted there and back
|  make cost           instructions that switches, publisher calls and snapshots cost, on
|                      four kernels
|  make bench          measure ftrace, perf, BPF and us; write performance.rst
|  make bench-nanoseconds
|                      the nanoseconds of a record on this machine; into performance.rst
|  make timeline       what `vitrine timeline' draws of the demo, in a browser;
|                      screenshots go to build/timeline/
|  make clean          remove build/; ~/.cache/vitrine keeps kernels and images
|
|One script in one guest: selftests/qemu/run --help
endef
help: SHELL := /bin/bash

# ---- this machine -----------------------------------------------------------

module:
	@[ -e $(KDIR)/Makefile ] || { echo "$(needs_headers)" >&2; exit 1; }
	@dir=$$(selftests/qemu/module $(KDIR)) && \
	ln -sfn $${dir#$(CURDIR)/build/}/vitrine.ko build/vitrine.ko && \
	echo build/vitrine.ko

in-tree:
	@module/in-tree $(or $(LINUX),$(error LINUX=DIR names the kernel tree))

tools:
	@$(MAKE) -s -C tools all
	@echo build/tools/vitrine

install: tools module
	$(MAKE) -s -C tools install
	install -D -m 644 build/vitrine.ko \
		$(DESTDIR)/lib/modules/$(shell $(MAKE) -s -C $(KDIR) kernelrelease)/updates/vitrine.ko
	[ -n "$(DESTDIR)" ] || depmod

doc: packages-all
	@Documentation/build-pages build/doc
	@echo build/doc/api.html

deb:
	@selftests/qemu/suite $(SUITE) $(need) deb -- debian/build-packages build/deb
	@ls build/deb/*.deb

clean:
	rm -rf build

# ---- guests -----------------------------------------------------------------

# What is missing is installed by root, and named for everybody else.
packages-%:
	@$(need) $*

demo:
	@sed 's/^|//' <<<"$$demo_makes"
	@$(need) demo
	@rm -rf build/demo
	@$(run) --kernel $(stock_kernel) --bring module,tools,workload --out build/demo --timeout 180 \
		-- selftests/qemu/demo.sh
	@sed 's/^|//' <<<"$$demo_made"

export define demo_makes
|Boot Debian's kernel in QEMU, record a thread that waits for a lock, and explain why it waits.
|This takes about 4 minutes and downloads 400 MB the first time; then it takes half a minute.
endef

export define demo_made
|
|Open these pages in a browser:
|  build/demo/timeline.html    which thread ran on which CPU, and when
|  build/demo/flame.html       where the threads waited, and for how long
|
|Other files:
|  build/demo/trace.fxt        the trace: open it at ui.perfetto.dev, or
|                              build/tools/vitrine print build/demo/trace.fxt
|  build/demo/system.inspect   the state of the system, as vitrine publishes it:
|                              build/tools/vitrine show build/demo/system.inspect
|  build/demo/output.log       what the guest printed
|  build/demo/console.log      what its kernel printed
endef
demo: SHELL := /bin/bash

# ---- tests ------------------------------------------------------------------
#
# selftests/lanes describes the lanes. Each prints TAP; selftests/lane counts it.

check_lanes := $(shell sed -n '/^\# "make check"/,/^\# The rest/s/^\([a-z][^ ]*\).*/\1/p' selftests/lanes)
other_lanes := $(shell sed -n '/^\# The rest/,$$s/^\([a-z][^ ]*\).*/\1/p' selftests/lanes)
.PHONY: $(check_lanes) $(other_lanes)
$(check_lanes): packages-check
$(other_lanes): packages-all

# Lanes share the tools, so they are built first.
check: packages-check
	@$(MAKE) -s --no-print-directory -j $$(nproc) tools
	@selftests/check $(check_lanes)

check-all: packages-all
	@$(MAKE) -s --no-print-directory -j $$(nproc) tools
	@selftests/check $(if $(MINUTES),--minutes $(MINUTES)) $(if $(UNTIL),--until $(UNTIL)) $(check_lanes) -- $(other_lanes)

kunit:
	@$(lane) $@ selftests/qemu/kunit
kunit-uml:
	@$(lane) $@ selftests/qemu/kunit --uml

host-kunit:
	@$(lane) $@ make -s -C selftests/host O=$(CURDIR)/build/host check

# On Debian 13, char is unsigned, as it is on arm64.
command-sanitized: sanitized = SAN=1 CFLAGS="-O1 -g $(if $(filter trixie,$(SUITE)),-funsigned-char)"
command command-sanitized:
	@$(lane) --retry $@ sh -c 'make -s -C selftests/tools O=$(CURDIR)/build/$@ $(sanitized) TESTS="$$*" check' $@

style:
	@$(lane) $@ selftests/style spdx versions readme layers checkpatch kernel_doc spelling rst named shell required tested
style-builds:
	@$(lane) $@ selftests/style sparse_6.1 sparse_6.12 clang tools
style-newest:
	@$(lane) $@ selftests/style warnings_newest doc

# A fuzzer that completes its runs without a finding is a passed test. As many as there are
# CPUs run in parallel.
FUZZ_RUNS ?= 300000
fuzzers := $(patsubst selftests/fuzz/fuzz_%.c,%,$(wildcard selftests/fuzz/fuzz_*.c))
fuzz:
	@rm -f build/fuzz/fuzz_*.passed
	@$(lane) $@ sh -c 'make -s -k -j 2 -C selftests/fuzz O=$(CURDIR)/build/fuzz \
		RUNS=$(FUZZ_RUNS) $(fuzzers:%=fuzz-%); \
		for name in $(fuzzers); do nr=$$((nr + 1)); \
			[ -e build/fuzz/fuzz_$$name.passed ] || printf "not "; \
			echo "ok $$nr fuzz_$$name"; done; echo "1..$$nr"'

# TESTS chooses tests of a lane in a guest: make kselftest-stock TESTS=why.sh
kselftest = $(lane) --retry $@ $(guest) --timeout 3600 $(1) -- selftests/qemu/kselftest.sh

kselftest-stock:
	@$(call kselftest,--kernel $(stock_kernel))
kselftest-newest:
	@$(call kselftest,--kernel newest)
# A test takes twice the time there, and the command is the same: only the tests of the
# module run.
kselftest-arm64: export TESTS ?= map ring_poll clock.sh publisher.sh trees.sh events.sh marker.sh \
	ftrace_events.sh all.sh sched_switch.sh ring_loss.sh modes.sh liar.sh trigger.sh stacks.sh \
	cgroup.sh why.sh last.sh hotplug.sh lazy.sh retained.sh unload.sh sample.sh optional.sh lockdown.sh \
	waker.sh
kselftest-arm64:
	@$(call kselftest,--kernel 6.12-arm64)

# Tests of locking, freeing and unloading, under lockdep and KASAN.
debug-kunit:
	@$(lane) $@ $(guest) --kernel debug --smp 4 --bring module --timeout 900 -- selftests/qemu/kunit.sh
debug-kselftest: export TESTS ?= map publisher.sh hotplug.sh unload.sh sample.sh optional.sh fault_injection lazy.sh retained.sh \
	liar.sh soak.sh
debug-kselftest:
	@$(call kselftest,--kernel debug)

# PREEMPT_RT reports code that sleeps where it must not.
rt-kselftest: export TESTS ?= map publisher.sh lazy.sh retained.sh trees.sh sched_switch.sh waker.sh
rt-kselftest:
	@$(call kselftest,--kernel 6.12-rt)

race-6.12: export TESTS ?= snapshot_race
race-6.12:
	@$(call kselftest,--kernel 6.12 --parallel)

# Tests that need four CPUs.
smp-kselftest: export TESTS ?= order.sh bytes.sh swap.sh
smp-kselftest:
	@$(call kselftest,--kernel 6.12 --smp 4)

# On 32 CPUs, no switch waits for another CPU.
cpus: export TESTS ?= cpus.sh
cpus:
	@$(call kselftest,--kernel 6.12 --smp 32 --icount --silence 1800)

# Instructions are the same in each run, so a failure is not run again.
# cost.sh measures for minutes before it prints the next line.
cost = $(lane) $@ $(guest) --icount --timeout 1800 --silence 600 $(1) -- selftests/qemu/kselftest.sh
cost-6.12: export TESTS ?= cost.sh cost_events.sh cost_inspect.sh snapshot_cost streaming.sh
cost-6.12:
	@$(call cost,--kernel 6.12)
cost-arm64: export TESTS ?= cost.sh cost_events.sh cost_inspect.sh
cost-arm64:
	@$(call cost,--kernel 6.12-arm64)
.PHONY: cost cost-6.1 cost-newest
cost-6.1 cost-newest: export TESTS ?= cost.sh cost_events.sh
cost-6.1 cost-newest: cost-%: packages-all
	@$(call cost,--kernel $*)
cost: cost-6.12 cost-newest cost-arm64 cost-6.1

# Compare wakeup latencies with those of perf.
latency:
	@$(lane) $@ $(guest) --kernel 6.12 --icount --with linux-perf --timeout 900 --silence 900 \
		-- selftests/peers/latency.sh

recover:
	@$(lane) $@ selftests/qemu/recover.sh

# Check the metrics of a busy guest with Prometheus' own tool.
metrics:
	@rm -rf build/metrics
	@$(lane) $@ sh -c '$(run) --kernel 6.12 --out build/metrics -- selftests/qemu/metrics.sh && \
		selftests/qemu/promtool build/metrics'

# Reports on recordings of real programs of Debian.
programs := apache2-utils git nginx-light openssl python3-minimal redis-server rsync sqlite3 xz-utils zstd
programs:
	@rm -rf build/programs
	@$(lane) $@ sh -c '$(run) --kernel 6.12 $(programs:%=--with %) --out build/programs \
			-- selftests/qemu/programs.sh && \
		make -s -C selftests/tools O=$(CURDIR)/build/command RECORDINGS=$(CURDIR)/build/programs \
			TESTS="truth.sh identity.sh part.sh" check'

# Why programs of Debian were slow, each with a cause put in on purpose. Those of answers-stock
# need no package that others do not have.
slow := apache2-utils bindfs gcc libc6-dev make nginx-light postgresql-15 python3 redis-server xz-utils
answers:
	@$(lane) --retry $@ $(guest) --kernel 6.12 $(slow:%=--with %) --timeout 900 -- selftests/qemu/answers.sh
answers-stock: export TESTS ?= cpu_max real_time frozen
answers-stock:
	@$(lane) --retry $@ $(guest) --kernel $(stock_kernel) -- selftests/qemu/answers.sh

harness:
	@$(lane) $@ selftests/qemu/selftest.sh

# ---- for a release ----------------------------------------------------------
#
# Not in "check-all": these take long, or need kernels or packages of their own.

SOAK ?= 600
soak_lanes := soak-debug soak-kcsan
.PHONY: soak $(soak_lanes)
$(soak_lanes): soak-%: packages-check
	@$(lane) $@ $(guest) --kernel $* --smp 4 --timeout $$((4 * $(SOAK) + 600)) -- soak.sh $(SOAK)
soak: $(soak_lanes)

.PHONY: debug-rt debug-rt-kunit debug-rt-kselftest
debug-rt-kunit: packages-check
	@$(lane) $@ $(guest) --kernel debug-rt --smp 4 --bring module --timeout 1800 -- selftests/qemu/kunit.sh
debug-rt-kselftest: export TESTS ?= publisher.sh lazy.sh retained.sh trees.sh fault_injection liar.sh soak.sh
debug-rt-kselftest: packages-check
	@$(call kselftest,--kernel debug-rt)
debug-rt: debug-rt-kunit debug-rt-kselftest

deb_test_lanes := deb-test-bookworm deb-test-trixie
.PHONY: $(deb_test_lanes)
$(deb_test_lanes): deb-test-%: packages-all
	@$(lane) $@ selftests/qemu/deb_test $*
deb-test: $(deb_test_lanes)

# Convert LTTng's recording of a guest's kernel there and back.
.PHONY: lttng
lttng: packages-check
	@$(lane) $@ selftests/qemu/lttng.sh

# Not a test: compares vitrine with other tracers, and writes Documentation/performance.rst.
bench: packages-bench cost
	@selftests/peers/bench
bench-nanoseconds: packages-check
	@selftests/peers/bench --nanoseconds

timeline: packages-timeline demo
	@$(lane) $@ selftests/timeline build/tools/vitrine build/demo/trace.fxt build/timeline

# SPDX-License-Identifier: GPL-2.0
#
# Include this file in the Kbuild or Makefile of a driver that uses vitrine.
#
# A driver that calls the functions of <vitrine/inspect.h> or <vitrine/trace.h> needs the
# symbols of the vitrine of the same kernel: of this checkout, or of DKMS. A driver that
# includes <vitrine/publisher.h> needs none, and lists vitrine_publisher.o among its objects.

vitrine := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))

dkms_tree ?= /var/lib/dkms

ccflags-y += -I$(vitrine)/include

KBUILD_EXTRA_SYMBOLS += $(firstword $(wildcard \
	$(vitrine)/Module.symvers $(vitrine)/build/module/$(KERNELRELEASE)/Module.symvers \
	$(dkms_tree)/vitrine/*/$(KERNELRELEASE)/*/Module.symvers))

$(obj)/vitrine_publisher.c:
	@echo '#include <vitrine/publisher.c>' >$@

clean-files += vitrine_publisher.c

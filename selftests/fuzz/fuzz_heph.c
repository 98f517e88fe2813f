// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary bytes as a trace in Heph's format, converted to a Fuchsia trace.
 *
 * Beyond the sanitizers, this must hold: the result is either an error with a position in
 * the file, or a valid Fuchsia trace.
 */
#include "fuzz.h"

#include <unistd.h>

#include "fxt_file.h"
#include "heph.h"

static void print_fault(void *ctx, uint64_t offset, const char *message)
{
	fprintf(stderr, "%#llx: %s\n", (unsigned long long)offset, message);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const struct vitrine_fxt_report report = { .fault = print_fault };
	const struct fxt_file file = {
		.bytes = (unsigned char *)bytes,
		.len_bytes = len,
	};
	struct vitrine_fxt_summary summary;
	struct vitrine_error *err;
	static char path[64];

	if (!path[0])
		snprintf(path, sizeof(path), "/dev/shm/fuzz_heph.%d", getpid());
	err = heph_read_file(&file, "fuzz", path, NULL);
	if (err) {
		expect(err->code == EBADMSG && err->offset <= len);
		vitrine_error_destroy(err);
		return 0;
	}
	expect(!vitrine_fxt_check(path, &report, &summary));
	expect(!summary.nr_faults);
	unlink(path);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary bytes as a marker, through the module's own parser.
 *
 * Beyond the sanitizers, this must hold: a marker has a name of valid length within the
 * text, or it is an end.
 */
#include "fuzz.h"

#include "../../module/trace/marker_text.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len_bytes)
{
	struct vtr_marker marker;
	char *text = malloc(len_bytes + VTR_MARKER_SPARE_BYTES);
	int err;

	expect(text);
	if (len_bytes)
		memcpy(text, bytes, len_bytes);
	err = vtr_marker_parse(text, len_bytes, &marker);
	if (err) {
		expect(err == -EINVAL || err == -EMSGSIZE);
	} else {
		expect(marker.name >= text && marker.name + marker.len_bytes <= text + len_bytes);
		expect(strlen(marker.name) <= marker.len_bytes);
		expect(marker.len_bytes <= VTR_MARKER_MAX_BYTES);
		expect(*marker.name || marker.type == FXT_EVENT_DURATION_END);
		expect(marker.type >= FXT_EVENT_INSTANT && marker.type <= FXT_EVENT_FLOW_END);
	}
	free(text);
	return 0;
}

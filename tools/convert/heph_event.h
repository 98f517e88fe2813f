/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of Heph's trace format as FXT records. The functions change only @out and
 * @left_out of struct heph.
 */
#ifndef _VITRINE_CONVERT_HEPH_EVENT_H
#define _VITRINE_CONVERT_HEPH_EVENT_H

#include "heph_packet.h"

/* Kind of an event, by its first attribute: see heph.h. */
enum heph_kind {
	KIND_OTHER,
	KIND_SWITCH,
	KIND_WAKEUP,
	KIND_NAME,
	KIND_LOG,
	KIND_EVENT,
};

/* Attributes of an event that vitrine defines. */
struct heph_found {
	enum heph_kind kind;
	bool out, state, wakeup, waker, process, log, category, phase;
	bool out_prio, prio, out_weight, weight, id;
	uint64_t out_value, state_value, waker_value, process_value;
	uint64_t out_prio_value, prio_value, phase_value, id_value;
	int64_t out_weight_value, weight_value;
	struct vitrine_fxt_string category_text;
};

struct vitrine_error *heph_take_attributes(struct heph *heph,
					   const struct heph_packet *packet,
					   struct vitrine_fxt_record *record,
					   struct heph_found *ret);
bool heph_learn_name(struct heph *heph, const struct heph_packet *packet,
		     const struct heph_found *found);
void heph_make_record(const struct heph *heph,
		      const struct heph_packet *packet,
		      const struct heph_found *found,
		      struct vitrine_fxt_record *record);

#endif /* _VITRINE_CONVERT_HEPH_EVENT_H */

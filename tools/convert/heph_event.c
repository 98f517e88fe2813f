// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What an event of Heph's trace format becomes: ours are told by their attributes,
 * those of any other writer become instants and complete durations.
 */
#include <string.h>

#include "fxt.h"
#include "heph_read.h"

#define NSEC_PER_SEC	1000000000ULL

/**
 * struct heph_attribute - an attribute of an event
 * @name: its name
 * @type: enum heph_type, with HEPH_ARRAY
 * @value: if it is a number
 * @text: if it is a string
 */
struct heph_attribute {
	struct vitrine_fxt_string name;
	unsigned int type;
	uint64_t value;
	struct vitrine_fxt_string text;
};

/* ---- Attributes ---- */

/* Passes over an array; its elements are of nothing FXT has. */
static bool skip_array(const struct heph *heph, uint64_t *at, uint64_t end,
		       unsigned int type)
{
	struct vitrine_fxt_string text;
	uint64_t nr;

	if (end - *at < 2)
		return false;
	nr = heph_take(heph, at, 2);
	if (type != HEPH_STRING) {
		if ((end - *at) / 8 < nr)
			return false;
		*at += nr * 8;
		return true;
	}
	while (nr--)
		if (!heph_take_text(heph, at, end, &text))
			return false;
	return true;
}

/* The attribute at *@at. False if it does not fit into the packet. */
static bool take_attribute(const struct heph *heph, uint64_t *at, uint64_t end,
			   struct heph_attribute *ret)
{
	unsigned int type;

	if (!heph_take_text(heph, at, end, &ret->name) || *at == end)
		return false;
	ret->type = heph_take(heph, at, 1);
	type = ret->type & ~HEPH_ARRAY;
	if (type < HEPH_UINT64 || type > HEPH_STRING)
		return false;
	if (ret->type & HEPH_ARRAY)
		return skip_array(heph, at, end, type);
	if (type == HEPH_STRING)
		return heph_take_text(heph, at, end, &ret->text);
	if (end - *at < 8)
		return false;
	ret->value = heph_take(heph, at, 8);
	return true;
}

/* ---- What is found among them ---- */

static enum heph_kind kind_of(const struct heph_packet *packet,
			      const struct heph_attribute *first)
{
	static const struct {
		const char *name;
		enum heph_kind kind;
	} kinds[] = {
		{ "out", KIND_SWITCH }, { "wakeup", KIND_WAKEUP },
		{ "process", KIND_NAME }, { "log", KIND_LOG },
	};
	unsigned int i;

	if (first->type == HEPH_STRING)
		return fxt_string_is(&first->name, "category") ? KIND_EVENT :
								 KIND_OTHER;
	if (first->type != HEPH_UINT64 || packet->start != packet->finish)
		return KIND_OTHER;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (fxt_string_is(&first->name, kinds[i].name))
			return kinds[i].kind;
	return KIND_OTHER;
}

static bool keep(const struct heph_attribute *attribute, const char *name,
		 unsigned int type, bool *ret_found, uint64_t *ret_value)
{
	if (*ret_found || attribute->type != type ||
	    !fxt_string_is(&attribute->name, name))
		return false;
	*ret_found = true;
	*ret_value = attribute->value;
	return true;
}

static bool keep_switch(const struct heph_attribute *attribute,
			struct heph_found *found)
{
	return keep(attribute, "out", HEPH_UINT64, &found->out,
		    &found->out_value) ||
	       keep(attribute, "state", HEPH_UINT64, &found->state,
		    &found->state_value) ||
	       keep(attribute, "out_prio", HEPH_UINT64, &found->out_prio,
		    &found->out_prio_value) ||
	       keep(attribute, "prio", HEPH_UINT64, &found->prio,
		    &found->prio_value) ||
	       keep(attribute, "out_weight", HEPH_INT64, &found->out_weight,
		    (uint64_t *)&found->out_weight_value) ||
	       keep(attribute, "weight", HEPH_INT64, &found->weight,
		    (uint64_t *)&found->weight_value);
}

static bool keep_wakeup(const struct heph_attribute *attribute,
			struct heph_found *found)
{
	uint64_t unused;

	return keep(attribute, "wakeup", HEPH_UINT64, &found->wakeup,
		    &unused) ||
	       keep(attribute, "weight", HEPH_INT64, &found->weight,
		    (uint64_t *)&found->weight_value) ||
	       keep(attribute, "waker", HEPH_UINT64, &found->waker,
		    &found->waker_value);
}

static bool keep_event(const struct heph_attribute *attribute,
		       struct heph_found *found)
{
	if (!found->category) {
		found->category = true;
		found->category_text = attribute->text;
		return true;
	}
	return keep(attribute, "phase", HEPH_UINT64, &found->phase,
		    &found->phase_value) ||
	       (found->phase && keep(attribute, "id", HEPH_UINT64, &found->id,
				     &found->id_value));
}

/* True if it is one that we write beside arguments. */
static bool keep_known(const struct heph_attribute *attribute,
		       struct heph_found *found)
{
	uint64_t unused;

	switch (found->kind) {
	case KIND_SWITCH:
		return keep_switch(attribute, found);
	case KIND_WAKEUP:
		return keep_wakeup(attribute, found);
	case KIND_NAME:
		return keep(attribute, "process", HEPH_UINT64, &found->process,
			    &found->process_value);
	case KIND_LOG:
		return keep(attribute, "log", HEPH_UINT64, &found->log,
			    &unused);
	case KIND_EVENT:
		return keep_event(attribute, found);
	default:
		return false;
	}
}

static void add_argument(struct heph *heph, struct vitrine_fxt_record *record,
			 const struct heph_attribute *attribute)
{
	static const unsigned char types[] = {
		[HEPH_UINT64]	= FXT_ARG_UINT64,
		[HEPH_INT64]	= FXT_ARG_INT64,
		[HEPH_DOUBLE]	= FXT_ARG_DOUBLE,
		[HEPH_STRING]	= FXT_ARG_STRING_REF,
	};
	struct vitrine_fxt_arg *arg;

	if (attribute->type & HEPH_ARRAY || record->nr_args == FXT_MAX_ARGS) {
		heph->left_out.nr[LEFT_OUT_ARGUMENT]++;
		return;
	}
	arg = &record->args[record->nr_args++];
	arg->type = types[attribute->type];
	arg->name = attribute->name;
	if (attribute->type == HEPH_STRING)
		arg->value.string = attribute->text;
	else
		arg->value.uint64 = attribute->value;
}

static struct vitrine_error *collect(struct heph *heph,
				     const struct heph_packet *packet,
				     struct vitrine_fxt_record *record,
				     struct heph_found *found)
{
	struct heph_attribute attribute = { .type = 0 };
	uint64_t at = packet->at;
	bool first = found->kind != KIND_OTHER;

	record->nr_args = 0;
	while (at < packet->end) {
		if (!take_attribute(heph, &at, packet->end, &attribute))
			return heph_malformed(heph, packet->offset,
					      "attribute is malformed");
		if (first)
			found->kind = kind_of(packet, &attribute);
		first = false;
		if (!keep_known(&attribute, found))
			add_argument(heph, record, &attribute);
	}
	return NULL;
}

/* A switch needs its state, and none of what we write has more than it needs. */
static bool is_whole(const struct heph_found *found,
		     const struct vitrine_fxt_record *record)
{
	switch (found->kind) {
	case KIND_SWITCH:
		return found->state && found->state_value <= FXT_THREAD_DEAD &&
		       found->state_value != FXT_THREAD_RUNNING &&
		       found->out_prio_value <= 255 &&
		       found->prio_value <= 255 && !record->nr_args;
	case KIND_WAKEUP:
	case KIND_NAME:
	case KIND_LOG:
		return !record->nr_args;
	default:
		return true;
	}
}

/**
 * heph_take_attributes() - find out what an event is, by its attributes
 * @heph: the file
 * @packet: packet of the event
 * @record: gets those that are none of ours as arguments
 * @ret: what ours say
 *
 * Return: NULL, or an error: EBADMSG.
 */
struct vitrine_error *heph_take_attributes(struct heph *heph,
					   const struct heph_packet *packet,
					   struct vitrine_fxt_record *record,
					   struct heph_found *ret)
{
	struct vitrine_error *err;

	*ret = (struct heph_found){ .kind = KIND_EVENT };
	err = collect(heph, packet, record, ret);
	if (packet->at == packet->end)
		ret->kind = KIND_OTHER;
	if (err || is_whole(ret, record))
		return err;
	/* It only looks like ours: all attributes are arguments. */
	*ret = (struct heph_found){ .kind = KIND_OTHER };
	return collect(heph, packet, record, ret);
}

static struct vitrine_fxt_thread thread_of(const struct heph *heph,
					   uint64_t koid)
{
	return (struct vitrine_fxt_thread){
		.process = koid ? fxt_out_process(heph->out, koid) : 0,
		.thread = koid,
	};
}

static void make_switch(const struct heph *heph,
			const struct heph_packet *packet,
			const struct heph_found *found,
			struct vitrine_fxt_record *record)
{
	record->kind = VITRINE_FXT_SWITCH;
	record->context_switch.outgoing = thread_of(heph, found->out_value);
	record->context_switch.incoming = thread_of(heph, packet->substream);
	record->context_switch.outgoing_state = found->state_value;
	record->context_switch.legacy = found->out_prio && found->prio;
	record->context_switch.outgoing_priority = found->out_prio_value;
	record->context_switch.incoming_priority = found->prio_value;
	record->nr_args = 0;
	if (found->out_weight)
		fxt_add_arg(record, FXT_ARG_INT32, "outgoing_weight")->value.int64 =
			found->out_weight_value;
	if (found->weight)
		fxt_add_arg(record, FXT_ARG_INT32, "incoming_weight")->value.int64 =
			found->weight_value;
}

static void make_wakeup(const struct heph *heph,
			const struct heph_packet *packet,
			const struct heph_found *found,
			struct vitrine_fxt_record *record)
{
	record->kind = VITRINE_FXT_WAKEUP;
	record->wakeup = thread_of(heph, packet->substream);
	record->nr_args = 0;
	if (found->weight)
		fxt_add_arg(record, FXT_ARG_INT32, "weight")->value.int64 =
			found->weight_value;
	if (found->waker)
		fxt_add_arg(record, FXT_ARG_KOID, "waker")->value.uint64 =
			found->waker_value;
}

/* Of other writers, a stream is a thread and its substream what runs on it. */
static void make_event(const struct heph *heph,
		       const struct heph_packet *packet,
		       const struct heph_found *found,
		       struct vitrine_fxt_record *record)
{
	record->kind = VITRINE_FXT_EVENT;
	record->event.thread = thread_of(heph, packet->substream);
	record->event.name = packet->name;
	record->event.id = found->id_value;
	record->event.category = found->category_text;
	record->event.type = packet->finish > packet->start || found->category ?
				     FXT_EVENT_DURATION_COMPLETE :
				     FXT_EVENT_INSTANT;
	if (found->phase && found->phase_value <= FXT_EVENT_FLOW_END)
		record->event.type = found->phase_value;
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		record->event.id = packet->finish < HEPH_LAST_NS ?
					   packet->finish : HEPH_LAST_NS;
	if (found->category)
		return;
	record->event.category = (struct vitrine_fxt_string){ "heph", 4 };
	record->event.thread.process = packet->stream;
}

/**
 * heph_learn_name() - take what an event of KIND_NAME says
 * @heph: the file, whose records have the name from now on
 * @packet: packet of the event
 * @found: its attributes
 *
 * Return: false if there is no memory.
 */
bool heph_learn_name(struct heph *heph, const struct heph_packet *packet,
		     const struct heph_found *found)
{
	uint64_t process = found->process_value, koid = packet->substream;

	return fxt_out_name_thread(heph->out, koid, process, &packet->name) &&
	       (koid != process ||
		fxt_out_name_process(heph->out, koid, &packet->name));
}

/**
 * heph_make_record() - make a record of an event of any other kind
 * @heph: the file
 * @packet: packet of the event
 * @found: its attributes
 * @record: has its arguments and its CPU; points into the file
 */
void heph_make_record(const struct heph *heph,
		      const struct heph_packet *packet,
		      const struct heph_found *found,
		      struct vitrine_fxt_record *record)
{
	record->timed = true;
	record->ticks = packet->start < HEPH_LAST_NS ? packet->start :
						       HEPH_LAST_NS;
	record->ticks_per_second = NSEC_PER_SEC;
	switch (found->kind) {
	case KIND_SWITCH:
		make_switch(heph, packet, found, record);
		break;
	case KIND_WAKEUP:
		make_wakeup(heph, packet, found, record);
		break;
	case KIND_LOG:
		record->kind = VITRINE_FXT_LOG;
		record->log.thread = thread_of(heph, packet->substream);
		record->log.message = packet->name;
		break;
	default:
		make_event(heph, packet, found, record);
		break;
	}
}

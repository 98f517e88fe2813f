// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert events of Heph's trace format. The attributes of an event that vitrine wrote
 * identify its kind. Events of other writers become instants and complete durations.
 */
#include <stdio.h>
#include <string.h>

#include "fxt_record.h"
#include "heph_event.h"

#define NSEC_PER_SEC	1000000000ULL

/**
 * struct heph_attribute - an attribute of an event
 * @name: name of the attribute
 * @type: enum heph_type, with HEPH_ARRAY
 * @value: value, if it is a number
 * @text: value, if it is a string
 * @nr: number of elements of an array
 * @at: position of the first one
 */
struct heph_attribute {
	struct vitrine_fxt_string name;
	unsigned int type;
	uint64_t value;
	struct vitrine_fxt_string text;
	unsigned int nr;
	uint64_t at;
};

/* ---- Attributes ---- */

/* Read a value, which is no array, at *@at. Return false if it exceeds the packet. */
static bool take_value(const struct heph *heph, uint64_t *at, uint64_t end,
		       struct heph_attribute *ret)
{
	if ((ret->type & ~HEPH_ARRAY) == HEPH_STRING)
		return heph_take_text(heph, at, end, &ret->text);
	if (end - *at < 8)
		return false;
	ret->value = heph_take(heph, at, 8);
	return true;
}

/* Find the elements of the array at *@at. Return false if it exceeds the packet. */
static bool take_array(const struct heph *heph, uint64_t *at, uint64_t end,
		       struct heph_attribute *ret)
{
	unsigned int i;

	if (end - *at < 2)
		return false;
	ret->nr = heph_take(heph, at, 2);
	ret->at = *at;
	for (i = 0; i < ret->nr; i++)
		if (!take_value(heph, at, end, ret))
			return false;
	return true;
}

/* Read the attribute at *@at. Return false if it exceeds the packet. */
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
		return take_array(heph, at, end, ret);
	return take_value(heph, at, end, ret);
}

/* ---- Recognising events written by vitrine ---- */

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

/* Store an attribute that vitrine writes in addition to arguments. Return false for others. */
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

static void set_argument(struct vitrine_fxt_arg *arg,
			 const struct vitrine_fxt_string *name,
			 const struct heph_attribute *attribute)
{
	static const unsigned char types[] = {
		[HEPH_UINT64]	= FXT_ARG_UINT64,
		[HEPH_INT64]	= FXT_ARG_INT64,
		[HEPH_DOUBLE]	= FXT_ARG_DOUBLE,
		[HEPH_STRING]	= FXT_ARG_STRING_REF,
	};

	arg->type = types[attribute->type & ~HEPH_ARRAY];
	arg->name = *name;
	if (arg->type == FXT_ARG_STRING_REF)
		arg->value.string = attribute->text;
	else
		arg->value.uint64 = attribute->value;
}

/* Add the elements of an array, which are called NAME[0], NAME[1] and so on. */
static void add_array(struct heph *heph, const struct heph_packet *packet,
		      struct vitrine_fxt_record *record,
		      struct heph_attribute array)
{
	struct vitrine_fxt_string name;
	uint64_t at = array.at;
	unsigned int i;
	char *text;

	for (i = 0; i < array.nr; i++) {
		take_value(heph, &at, packet->end, &array);
		text = heph->element_names[record->nr_args];
		name.bytes = text;
		name.len_bytes = snprintf(text, HEPH_ELEMENT_BYTES, "%.*s[%u]",
					  (int)array.name.len_bytes,
					  array.name.bytes, i);
		set_argument(&record->args[record->nr_args++], &name, &array);
	}
}

/* Whether the arguments have room for an attribute; FXT has no empty arrays. */
static bool has_room(const struct vitrine_fxt_record *record,
		     const struct heph_attribute *attribute)
{
	unsigned int room = FXT_MAX_ARGS - record->nr_args;

	if (!(attribute->type & HEPH_ARRAY))
		return room;
	return attribute->nr && attribute->nr <= room &&
	       attribute->name.len_bytes + strlen("[14]") < HEPH_ELEMENT_BYTES &&
	       !memchr(attribute->name.bytes, '\0', attribute->name.len_bytes);
}

static void add_argument(struct heph *heph, const struct heph_packet *packet,
			 struct vitrine_fxt_record *record,
			 const struct heph_attribute *attribute)
{
	if (!has_room(record, attribute))
		heph->left_out.nr[LEFT_OUT_ARGUMENT]++;
	else if (attribute->type & HEPH_ARRAY)
		add_array(heph, packet, record, *attribute);
	else
		set_argument(&record->args[record->nr_args++], &attribute->name,
			     attribute);
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
			add_argument(heph, packet, record, &attribute);
	}
	return NULL;
}

/* Whether an event has exactly the attributes of its kind. */
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
 * heph_take_attributes() - read the attributes of an event and determine its kind
 * @heph: the file
 * @packet: packet of the event
 * @record: receives the attributes that vitrine does not define, as arguments
 * @ret: receives the attributes that vitrine defines
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
	/* Not written by vitrine after all: all attributes are arguments. */
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
		fxt_add_weight(record, "outgoing_weight",
			       found->out_weight_value);
	if (found->weight)
		fxt_add_weight(record, "incoming_weight",
			       found->weight_value);
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
		fxt_add_weight(record, "weight", found->weight_value);
	if (found->waker)
		fxt_add_waker(record, found->waker_value);
}

/* In files of other writers a stream is a thread, and a substream is a task on it. */
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
	record->event.category.bytes = HEPH_CATEGORY;
	record->event.category.len_bytes = strlen(HEPH_CATEGORY);
	record->event.thread.process = packet->stream;
}

/**
 * heph_learn_name() - set the name of a thread from an event of KIND_NAME
 * @heph: the file; the name applies to the records that follow
 * @packet: packet of the event
 * @found: attributes of the event
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
 * heph_make_record() - convert an event of any other kind to a record
 * @heph: the file
 * @packet: packet of the event
 * @found: attributes of the event
 * @record: the record; the caller has set its arguments and CPU. Points into the file.
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

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Create event classes for the records of a trace; dialect_fill.c fills events.
 *
 * Switches and wakeups have the fields of LTTng. The payload of all other events consists of
 * the arguments of the record. The thread, and data for which LTTng has no field, are in the
 * context of the event. A class is created for each combination of record kind, name, and
 * names and types of arguments, when the first record needs it.
 */
#define _GNU_SOURCE	/* tdestroy() */
#include <ctype.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "dialect.h"
#include "kernel_words.h"

/* Maximum length of the key of a class; records with longer names have no class. */
#define KEY_BYTES	2048

struct class {
	char *key;
	bt_event_class *event_class;
};

/* ---- Making classes ---- */

/* Add a field to a structure; takes ownership of @class. */
static void add_field(bt_field_class *structure, const char *name,
		      bt_field_class *class)
{
	bt_field_class_structure_append_member(structure, name, class);
	bt_field_class_put_ref(class);
}

static void add_integer(bt_field_class *structure, const char *name,
			bt_field_class *class, unsigned int bits)
{
	bt_field_class_integer_set_field_value_range(class, bits);
	add_field(structure, name, class);
}

static void add_signed(struct dialect *dialect, bt_field_class *structure,
		       const char *name, unsigned int bits)
{
	add_integer(structure, name,
		    bt_field_class_integer_signed_create(dialect->trace_class),
		    bits);
}

static void add_unsigned(struct dialect *dialect, bt_field_class *structure,
			 const char *name, unsigned int bits)
{
	add_integer(structure, name,
		    bt_field_class_integer_unsigned_create(dialect->trace_class),
		    bits);
}

static void add_string(struct dialect *dialect, bt_field_class *structure,
		       const char *name)
{
	add_field(structure, name,
		  bt_field_class_string_create(dialect->trace_class));
}

static bt_event_class *create_class(bt_stream_class *stream_class,
				    const char *name, bt_field_class *payload,
				    bt_field_class *context)
{
	bt_event_class *class = bt_event_class_create(stream_class);

	bt_event_class_set_name(class, name);
	bt_event_class_set_payload_field_class(class, payload);
	bt_field_class_put_ref(payload);
	if (context) {
		bt_event_class_set_specific_context_field_class(class, context);
		bt_field_class_put_ref(context);
	}
	return class;
}

static bt_field_class *structure(struct dialect *dialect)
{
	return bt_field_class_structure_create(dialect->trace_class);
}

static void create_switch(struct dialect *dialect)
{
	bt_field_class *payload = structure(dialect);

	add_string(dialect, payload, "prev_comm");
	add_signed(dialect, payload, "prev_tid", 64);
	add_signed(dialect, payload, "prev_prio", 32);
	add_signed(dialect, payload, "prev_state", 64);
	add_string(dialect, payload, "next_comm");
	add_signed(dialect, payload, "next_tid", 64);
	add_signed(dialect, payload, "next_prio", 32);
	dialect->sched_switch = create_class(dialect->cpu_class,
					     "sched_switch", payload, NULL);
}

static void create_waking(struct dialect *dialect)
{
	bt_field_class *payload = structure(dialect);

	add_string(dialect, payload, "comm");
	add_signed(dialect, payload, "tid", 64);
	add_signed(dialect, payload, "prio", 32);
	add_signed(dialect, payload, "target_cpu", 32);
	add_signed(dialect, payload, "waker_tid", 64);
	dialect->sched_waking = create_class(dialect->cpu_class,
					     "sched_waking", payload, NULL);
}

static bt_event_class *create_process_state(struct dialect *dialect,
					   bt_stream_class *stream_class)
{
	bt_field_class *payload = structure(dialect);

	add_signed(dialect, payload, "tid", 64);
	add_signed(dialect, payload, "vtid", 64);
	add_signed(dialect, payload, "pid", 64);
	add_signed(dialect, payload, "vpid", 64);
	add_signed(dialect, payload, "ppid", 64);
	add_signed(dialect, payload, "vppid", 64);
	add_string(dialect, payload, "name");
	add_signed(dialect, payload, "type", 32);
	add_signed(dialect, payload, "mode", 32);
	add_signed(dialect, payload, "submode", 32);
	add_signed(dialect, payload, "status", 32);
	add_signed(dialect, payload, "ns_level", 32);
	return create_class(stream_class, "lttng_statedump_process_state",
			    payload, NULL);
}

static bt_stream_class *create_stream_class(struct dialect *dialect,
					    bt_clock_class *clock, bool cpu)
{
	bt_field_class *context;
	bt_stream_class *class;

	class = bt_stream_class_create(dialect->trace_class);
	bt_stream_class_set_default_clock_class(class, clock);
	bt_stream_class_set_supports_packets(class, BT_TRUE, BT_TRUE, BT_TRUE);
	bt_stream_class_set_supports_discarded_events(class, BT_TRUE, BT_TRUE);
	bt_stream_class_set_supports_discarded_packets(class, BT_TRUE,
						       BT_TRUE);
	if (cpu) {
		context = structure(dialect);
		add_unsigned(dialect, context, "cpu_id", 32);
		bt_stream_class_set_packet_context_field_class(class, context);
		bt_field_class_put_ref(context);
	}
	return class;
}

/**
 * dialect_init() - create the classes that all traces have
 * @dialect: dialect
 * @component: source component
 * @clock: clock of all streams
 *
 * Return: false if there is no memory.
 */
bool dialect_init(struct dialect *dialect, bt_self_component *component,
		  bt_clock_class *clock)
{
	*dialect = (struct dialect){
		.trace_class = bt_trace_class_create(component),
	};
	if (!dialect->trace_class)
		return false;
	dialect->cpu_class = create_stream_class(dialect, clock, true);
	dialect->other_class = create_stream_class(dialect, clock, false);
	create_switch(dialect);
	create_waking(dialect);
	dialect->cpu_process_state =
		create_process_state(dialect, dialect->cpu_class);
	dialect->other_process_state =
		create_process_state(dialect, dialect->other_class);
	return true;
}

static void free_class(void *node)
{
	struct class *class = node;

	bt_event_class_put_ref(class->event_class);
	free(class->key);
	free(class);
}

/**
 * dialect_deinit() - release all classes
 * @dialect: dialect, possibly zeroed
 */
void dialect_deinit(struct dialect *dialect)
{
	size_t i;

	tdestroy(dialect->classes, free_class);
	for (i = 0; i < dialect->comms.size; i++)
		free((char *)dialect->comms.entries[i].name.bytes);
	fxt_names_deinit(&dialect->comms);
	bt_event_class_put_ref(dialect->sched_switch);
	bt_event_class_put_ref(dialect->sched_waking);
	bt_event_class_put_ref(dialect->cpu_process_state);
	bt_event_class_put_ref(dialect->other_process_state);
	bt_stream_class_put_ref(dialect->cpu_class);
	bt_stream_class_put_ref(dialect->other_class);
	bt_trace_class_put_ref(dialect->trace_class);
}

/* ---- Names of events ---- */

/**
 * dialect_softirq() - look up the vector number of a softirq
 * @name: its name in the trace
 *
 * Return: the vector, or -1.
 */
int dialect_softirq(const struct vitrine_fxt_string *name)
{
	int i;

	for (i = 0; i < KERNEL_SOFTIRQS; i++)
		if (fxt_string_is(name, kernel_softirqs[i]))
			return i;
	return -1;
}

/* Return how a duration is named: if LTTng has such an event, by the name of that event. */
static enum dialect_naming duration_naming(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *name = &record->event.name;

	if (fxt_string_is(&record->event.category, "syscall"))
		return NAMING_SYSCALL;
	if (fxt_string_is(&record->event.category, "ipi"))
		return kernel_is_ipi(name) ? NAMING_VECTOR : NAMING_PLAIN;
	if (!fxt_string_is(&record->event.category, "irq"))
		return NAMING_PLAIN;
	if (dialect_softirq(name) >= 0)
		return NAMING_SOFTIRQ;
	if (fxt_string_is(name, "local_timer"))
		return NAMING_VECTOR;
	return fxt_find_arg(record, "irq") || fxt_find_arg(record, "handled") ?
		       NAMING_IRQ : NAMING_PLAIN;
}

/**
 * dialect_naming() - determine how an event is named
 * @record: an event or a log message
 *
 * Return: one of enum dialect_naming.
 */
enum dialect_naming dialect_naming(const struct vitrine_fxt_record *record)
{
	unsigned int type = record->event.type;

	if (record->kind == VITRINE_FXT_LOG)
		return NAMING_LOG;
	if (type != FXT_EVENT_DURATION_BEGIN && type != FXT_EVENT_DURATION_END)
		return NAMING_PLAIN;
	return duration_naming(record);
}

/**
 * dialect_is_pair() - check whether LTTng has two events for a record
 * @record: a record of any kind
 *
 * Return: true for a complete duration whose begin and end are events of LTTng.
 */
bool dialect_is_pair(const struct vitrine_fxt_record *record)
{
	return record->kind == VITRINE_FXT_EVENT &&
	       record->event.type == FXT_EVENT_DURATION_COMPLETE &&
	       duration_naming(record) != NAMING_PLAIN;
}

static int print_name(char *name, size_t size, enum dialect_naming naming,
		      const struct vitrine_fxt_record *record)
{
	bool entry = record->event.type == FXT_EVENT_DURATION_BEGIN;
	const struct vitrine_fxt_string *own = &record->event.name;
	int len = own->len_bytes;

	switch (naming) {
	case NAMING_SYSCALL:
		return snprintf(name, size, "syscall_%s_%.*s",
				entry ? "entry" : "exit", len, own->bytes);
	case NAMING_SOFTIRQ:
		return snprintf(name, size, "irq_softirq_%s",
				entry ? "entry" : "exit");
	case NAMING_VECTOR:
		return snprintf(name, size, DIALECT_VECTOR_PREFIX "%.*s_%s",
				len, own->bytes, entry ? "entry" : "exit");
	case NAMING_IRQ:
		return snprintf(name, size, "irq_handler_%s",
				entry ? "entry" : "exit");
	case NAMING_LOG:
		return snprintf(name, size, DIALECT_LOG);
	default:
		return snprintf(name, size, "%.*s:%.*s",
				(int)record->event.category.len_bytes,
				record->event.category.bytes, len, own->bytes);
	}
}

/* Two records with the same key are of the same class. */
static bool make_key(char *key, bool cpu, const char *name,
		     enum dialect_naming naming,
		     const struct vitrine_fxt_record *record)
{
	unsigned int type, i;
	int len;

	type = naming == NAMING_LOG ? 0 : record->event.type;
	len = snprintf(key, KEY_BYTES, "%d %d %u %s", cpu, naming, type, name);
	for (i = 0; i < record->nr_args && len < KEY_BYTES; i++)
		len += snprintf(key + len, KEY_BYTES - len, "\n%u%.*s",
				record->args[i].type,
				(int)record->args[i].name.len_bytes,
				record->args[i].name.bytes);
	return len < KEY_BYTES;
}

/* ---- Classes of other events ---- */

/* Make the name of a field a valid identifier, unique within its structure. */
static void make_identifier(char *ret, size_t size, bt_field_class *structure,
			    const struct vitrine_fxt_string *name)
{
	size_t i, len = 0;
	unsigned int nr = 1;

	if (!name->len_bytes || isdigit((unsigned char)name->bytes[0]))
		ret[len++] = '_';
	for (i = 0; i < name->len_bytes && len < size - 12; i++)
		ret[len++] = isalnum((unsigned char)name->bytes[i]) ?
				     name->bytes[i] : '_';
	ret[len] = '\0';
	while (bt_field_class_structure_borrow_member_by_name_const(structure,
								    ret))
		snprintf(ret + len, size - len, "_%u", ++nr);
}

static void add_label(bt_field_class *class, const char *label, uint64_t value)
{
	bt_integer_range_set_unsigned *range =
		bt_integer_range_set_unsigned_create();

	bt_integer_range_set_unsigned_add_range(range, value, value);
	bt_field_class_enumeration_unsigned_add_mapping(class, label, range);
	bt_integer_range_set_unsigned_put_ref(range);
}

static bt_field_class *create_enumeration(struct dialect *dialect,
					  const char * const *labels,
					  unsigned int nr)
{
	bt_field_class *class;
	unsigned int i;

	class = bt_field_class_enumeration_unsigned_create(dialect->trace_class);
	bt_field_class_integer_set_field_value_range(class, 8);
	for (i = 0; i < nr; i++)
		add_label(class, labels[i], i);
	return class;
}

/* Add a boolean: the format has none, so it is an enumeration of false and true. */
static bt_field_class *create_boolean(struct dialect *dialect)
{
	static const char * const labels[] = { "false", "true" };

	return create_enumeration(dialect, labels, 2);
}

static bt_field_class *arg_class(struct dialect *dialect, unsigned int type)
{
	bt_trace_class *trace_class = dialect->trace_class;
	bt_field_class *class;

	switch (type) {
	case FXT_ARG_INT32:
	case FXT_ARG_INT64:
		class = bt_field_class_integer_signed_create(trace_class);
		break;
	case FXT_ARG_UINT32:
	case FXT_ARG_UINT64:
	case FXT_ARG_POINTER:
	case FXT_ARG_KOID:
		class = bt_field_class_integer_unsigned_create(trace_class);
		break;
	case FXT_ARG_BOOL:
		return create_boolean(dialect);
	case FXT_ARG_DOUBLE:
		return bt_field_class_real_double_precision_create(trace_class);
	default:
		return bt_field_class_string_create(trace_class);
	}
	if (type == FXT_ARG_INT32 || type == FXT_ARG_UINT32)
		bt_field_class_integer_set_field_value_range(class, 32);
	if (type == FXT_ARG_POINTER)
		bt_field_class_integer_set_preferred_display_base(class,
			BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL);
	return class;
}

static bt_field_class *create_payload(struct dialect *dialect,
				      enum dialect_naming naming,
				      const struct vitrine_fxt_record *record)
{
	bt_field_class *payload = structure(dialect);
	char name[128];
	unsigned int i;

	if (naming == NAMING_SOFTIRQ)
		add_unsigned(dialect, payload, "vec", 32);
	if (naming == NAMING_IRQ)
		add_string(dialect, payload, "name");
	if (naming == NAMING_LOG)
		add_string(dialect, payload, "message");
	for (i = 0; i < record->nr_args; i++) {
		make_identifier(name, sizeof(name), payload,
				&record->args[i].name);
		add_field(payload, name,
			  arg_class(dialect, record->args[i].type));
	}
	return payload;
}

static bt_field_class *create_context(struct dialect *dialect,
				      enum dialect_naming naming,
				      const struct vitrine_fxt_record *record)
{
	bt_field_class *context = structure(dialect);
	const char *labels[FXT_NR_PHASES];
	unsigned int i;

	add_signed(dialect, context, "tid", 64);
	add_signed(dialect, context, "pid", 64);
	if (naming == NAMING_PLAIN) {
		for (i = 0; i < FXT_NR_PHASES; i++)
			labels[i] = fxt_phases[i].ctf;
		add_field(context, "phase",
			  create_enumeration(dialect, labels, FXT_NR_PHASES));
		if (fxt_phases[record->event.type].has_word)
			add_unsigned(dialect, context, "id", 64);
	}
	return context;
}

static int compare_classes(const void *left, const void *right)
{
	const struct class *a = left, *b = right;

	return strcmp(a->key, b->key);
}

static bt_event_class *add_class(struct dialect *dialect, const char *key,
				 bt_event_class *event_class)
{
	struct class *class = malloc(sizeof(*class));

	if (!class)
		return NULL;
	class->key = strdup(key);
	class->event_class = event_class;
	if (!class->key ||
	    !tsearch(class, &dialect->classes, compare_classes)) {
		free(class->key);
		free(class);
		return NULL;
	}
	dialect->nr_classes++;
	return event_class;
}

static bt_event_class *event_class_of(struct dialect *dialect, bool cpu,
				      const struct vitrine_fxt_record *record)
{
	enum dialect_naming naming = dialect_naming(record);
	char key[KEY_BYTES], name[KEY_BYTES / 2];
	struct class wanted = { .key = key }, **found;
	bt_event_class *class;

	if (print_name(name, sizeof(name), naming, record) >=
	    (int)sizeof(name) || !make_key(key, cpu, name, naming, record))
		return NULL;
	found = tfind(&wanted, &dialect->classes, compare_classes);
	if (found)
		return (*found)->event_class;
	if (dialect->nr_classes == DIALECT_MAX_CLASSES)
		return NULL;
	class = create_class(cpu ? dialect->cpu_class : dialect->other_class,
			     name, create_payload(dialect, naming, record),
			     create_context(dialect, naming, record));
	if (!add_class(dialect, key, class))
		BT_EVENT_CLASS_PUT_REF_AND_RESET(class);
	return class;
}

/**
 * dialect_class() - look up the event class of a record, and create it if necessary
 * @dialect: dialect
 * @cpu: the stream of the record is a CPU
 * @record: the record
 *
 * Return: the class, or NULL if the record cannot be an event.
 */
bt_event_class *dialect_class(struct dialect *dialect, bool cpu,
			      const struct vitrine_fxt_record *record)
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return cpu ? dialect->sched_switch : NULL;
	case VITRINE_FXT_WAKEUP:
		return cpu ? dialect->sched_waking : NULL;
	case VITRINE_FXT_EVENT:
		if (record->event.type > FXT_EVENT_FLOW_END)
			return NULL;
		return event_class_of(dialect, cpu, record);
	case VITRINE_FXT_LOG:
		return event_class_of(dialect, cpu, record);
	default:
		return NULL;
	}
}

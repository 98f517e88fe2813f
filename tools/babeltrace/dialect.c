// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Create event classes for the records of a trace, and fill events.
 *
 * Switches and wakeups have the fields of LTTng. The payload of all other events consists of
 * the arguments of the record. The thread, and data for which LTTng has no field, are in the
 * context of the event. A class is created for each combination of record kind, name, and
 * names and types of arguments, when the first record needs it. The fields of an event are
 * filled in the order in which they were added to its class.
 */
#define _GNU_SOURCE	/* asprintf(), tdestroy() */
#include <ctype.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foreign.h"
#include "fxt_record.h"
#include "dialect.h"

/* Maximum number of event classes; records without a class are counted as left out. */
#define DIALECT_MAX_CLASSES	8192

/* Name and payload of an event. */
enum dialect_naming {
	NAMING_PLAIN,		/* category:name, arguments */
	NAMING_SYSCALL,		/* syscall_entry_NAME, arguments */
	NAMING_SOFTIRQ,		/* irq_softirq_entry, vec */
	NAMING_VECTOR,		/* x86_irq_vectors_NAME_entry, arguments */
	NAMING_IRQ,		/* irq_handler_entry, name and arguments */
	NAMING_LOG,		/* message */
};

/* Maximum length of the key of a class; records with longer names have no class. */
#define KEY_BYTES	2048

struct class {
	char *key;
	bt_event_class *event_class;
};

/* LTTng's event that tells the process of a thread. */
#define PROCESS_STATE	"lttng_statedump_process_state"

/* In the names of threads, those of the idle threads: no thread has such a koid. */
#define IDLE_KOID(cpu)	(UINT64_MAX - 1 - (cpu))

/* Of a normal thread whose priority is not known, as LTTng has it. */
#define NORMAL_PRIO	20

/* ---- Making classes ---- */

/* Add a field to a structure; takes ownership of @class. */
static void add_field(bt_field_class *structure, const char *name,
		      bt_field_class *class)
{
	bt_field_class_structure_append_member(structure, name, class);
	bt_field_class_put_ref(class);
}

/* A field of an event, of the type of an argument. */
struct row {
	const char *name;
	unsigned int type;
};

static const struct row switch_rows[] = {
	{ "prev_comm", FXT_ARG_STRING_REF },
	{ "prev_tid", FXT_ARG_INT64 },
	{ "prev_prio", FXT_ARG_INT32 },
	{ "prev_state", FXT_ARG_INT64 },
	{ "next_comm", FXT_ARG_STRING_REF },
	{ "next_tid", FXT_ARG_INT64 },
	{ "next_prio", FXT_ARG_INT32 },
	{ NULL, 0 }
};

static const struct row waking_rows[] = {
	{ "comm", FXT_ARG_STRING_REF },
	{ "tid", FXT_ARG_INT64 },
	{ "prio", FXT_ARG_INT32 },
	{ "target_cpu", FXT_ARG_INT32 },
	{ "waker_tid", FXT_ARG_INT64 },
	{ "context", FXT_ARG_INT32 },
	{ NULL, 0 }
};

/* The first two are the thread, the next two its process; other numbers are not known. */
static const struct row process_rows[] = {
	{ "tid", FXT_ARG_INT64 },
	{ "vtid", FXT_ARG_INT64 },
	{ "pid", FXT_ARG_INT64 },
	{ "vpid", FXT_ARG_INT64 },
	{ "ppid", FXT_ARG_INT64 },
	{ "vppid", FXT_ARG_INT64 },
	{ "name", FXT_ARG_STRING_REF },
	{ "type", FXT_ARG_INT32 },
	{ "mode", FXT_ARG_INT32 },
	{ "submode", FXT_ARG_INT32 },
	{ "status", FXT_ARG_INT32 },
	{ "ns_level", FXT_ARG_INT32 },
	{ NULL, 0 }
};

static const struct row cpu_rows[] = { { "cpu_id", FXT_ARG_UINT32 }, { NULL, 0 } };

static const struct row thread_rows[] = {
	{ "tid", FXT_ARG_INT64 }, { "pid", FXT_ARG_INT64 }, { NULL, 0 }
};

/* What precedes the arguments in the payload, by enum dialect_naming. */
static const struct row payload_rows[][2] = {
	[NAMING_SOFTIRQ] = { { "vec", FXT_ARG_UINT32 } },
	[NAMING_IRQ] = { { "name", FXT_ARG_STRING_REF } },
	[NAMING_LOG] = { { "message", FXT_ARG_STRING_REF } },
};

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

	switch (fxt_arg_class(type)) {
	case FXT_CLASS_SIGNED:
		class = bt_field_class_integer_signed_create(trace_class);
		break;
	case FXT_CLASS_UNSIGNED:
	case FXT_CLASS_ADDRESS:
		class = bt_field_class_integer_unsigned_create(trace_class);
		break;
	case FXT_CLASS_BOOL:
		return create_boolean(dialect);
	case FXT_CLASS_REAL:
		return bt_field_class_real_double_precision_create(trace_class);
	default:
		return bt_field_class_string_create(trace_class);
	}
	if (fxt_arg_mask(type))
		bt_field_class_integer_set_field_value_range(class, 32);
	if (type == FXT_ARG_POINTER)
		bt_field_class_integer_set_preferred_display_base(class,
			BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL);
	return class;
}

static bt_field_class *create_structure(struct dialect *dialect, const struct row *row)
{
	bt_field_class *structure = bt_field_class_structure_create(dialect->trace_class);

	for (; row->name; row++)
		add_field(structure, row->name, arg_class(dialect, row->type));
	return structure;
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
		context = create_structure(dialect, cpu_rows);
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
	dialect->sched_switch = create_class(dialect->cpu_class, "sched_switch",
					     create_structure(dialect, switch_rows), NULL);
	dialect->sched_waking = create_class(dialect->cpu_class, "sched_waking",
					     create_structure(dialect, waking_rows), NULL);
	dialect->cpu_process_state = create_class(dialect->cpu_class, PROCESS_STATE,
						  create_structure(dialect, process_rows), NULL);
	dialect->other_process_state = create_class(dialect->other_class, PROCESS_STATE,
						    create_structure(dialect, process_rows), NULL);
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
	for (i = 0; i < dialect->comms.nr; i++)
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

/* Look up the vector number of a softirq. Returns the vector, or -1. */
static int dialect_softirq(const struct vitrine_fxt_string *name)
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

/* Determine how an event is named. Returns one of enum dialect_naming. */
static enum dialect_naming dialect_naming(const struct vitrine_fxt_record *record)
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

static bt_field_class *create_payload(struct dialect *dialect,
				      enum dialect_naming naming,
				      const struct vitrine_fxt_record *record)
{
	bt_field_class *payload = create_structure(dialect, payload_rows[naming]);
	char name[128];
	unsigned int i;

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
	bt_field_class *context = create_structure(dialect, thread_rows);
	const char *labels[FXT_NR_PHASES];
	unsigned int i;

	if (naming == NAMING_PLAIN) {
		for (i = 0; i < FXT_NR_PHASES; i++)
			labels[i] = fxt_phases[i].ctf;
		add_field(context, "phase",
			  create_enumeration(dialect, labels, FXT_NR_PHASES));
		if (fxt_phases[record->event.type].has_word)
			add_field(context, "id", arg_class(dialect, FXT_ARG_UINT64));
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

/* ---- Filling fields ---- */

static bt_field *member(bt_field *structure, unsigned int index)
{
	return bt_field_structure_borrow_member_field_by_index(structure,
							       index);
}

static void set_signed(bt_field *structure, unsigned int index, int64_t value)
{
	bt_field_integer_signed_set_value(member(structure, index), value);
}

static void set_text(bt_field *field, const struct vitrine_fxt_string *text)
{
	size_t len = strnlen(text->bytes ? text->bytes : "", text->len_bytes);

	bt_field_string_clear(field);
	bt_field_string_append_with_length(field, text->bytes, len);
}

/* Return the name of a thread as a string, or NULL if there is no memory. */
static struct fxt_name *comm_of(struct dialect *dialect, uint64_t koid)
{
	struct fxt_name *comm = fxt_names_get(&dialect->comms, koid);
	struct vitrine_fxt_string name = { "", 0 };
	uint64_t process = VITRINE_FXT_NO_PROCESS;

	if (!comm || comm->named)
		return comm;
	if (!vitrine_archive_thread(dialect->archive, koid, &name, &process))
		vitrine_archive_process(dialect->archive, koid, &name);
	comm->name.bytes = strndup(name.bytes, name.len_bytes);
	if (!comm->name.bytes)
		return NULL;
	comm->process = process;
	comm->named = true;
	return comm;
}

/* Return the name of the idle thread of a CPU, or NULL if there is no memory. */
static const struct fxt_name *idle_of(struct dialect *dialect, uint32_t cpu)
{
	struct fxt_name *idle = fxt_names_get(&dialect->comms, IDLE_KOID(cpu));
	char *text;

	if (!idle || idle->named)
		return idle;
	if (asprintf(&text, "swapper/%u", cpu) < 0)
		return NULL;
	idle->name.bytes = text;
	idle->named = true;
	return idle;
}

static bool set_comm(struct dialect *dialect, bt_field *structure,
		     unsigned int index, uint64_t koid, uint32_t cpu)
{
	const struct fxt_name *comm = koid ? comm_of(dialect, koid) : idle_of(dialect, cpu);

	if (comm)
		bt_field_string_set_value(member(structure, index), comm->name.bytes);
	return comm;
}

/* Convert a thread state to the kernel's bits, as in the tracepoint sched_switch. */
static int64_t state_of(unsigned int state)
{
	switch (state) {
	case FXT_THREAD_SUSPENDED:
		return 0x04;
	case FXT_THREAD_BLOCKED:
		return 0x01;
	case FXT_THREAD_DYING:
		return 0x20;
	case FXT_THREAD_DEAD:
		return 0x10;
	default:
		return 0;
	}
}

/* Only idle has a weight of 0 or less; of another thread, it means that none is known. */
static int32_t prio_of(uint64_t tid, int32_t weight)
{
	return tid && weight > 0 ? weight - MAX_RT_PRIO : NORMAL_PRIO;
}

/* Return the id of a thread of a switch, 0 for the idle thread, whatever its koid is. */
static uint64_t tid_of(const struct vitrine_fxt_record *record,
		       const struct vitrine_fxt_thread *thread, const char *weight)
{
	return fxt_is_idle(record, thread, weight) ? 0 : thread->thread;
}

static bool fill_switch(struct dialect *dialect, bt_field *payload,
			const struct vitrine_fxt_record *record)
{
	uint64_t outgoing = tid_of(record, &record->context_switch.outgoing, "outgoing_weight");
	uint64_t incoming = tid_of(record, &record->context_switch.incoming, "incoming_weight");

	set_signed(payload, 1, outgoing);
	set_signed(payload, 2, prio_of(outgoing, fxt_outgoing_weight(record)));
	set_signed(payload, 3,
		   state_of(record->context_switch.outgoing_state));
	set_signed(payload, 5, incoming);
	set_signed(payload, 6, prio_of(incoming, fxt_incoming_weight(record)));
	return set_comm(dialect, payload, 0, outgoing, record->cpu) &&
	       set_comm(dialect, payload, 4, incoming, record->cpu);
}

static bool fill_waking(struct dialect *dialect, bt_field *payload,
			const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *weight = fxt_find_typed(record, "weight", FXT_ARG_INT32);
	const struct vitrine_fxt_arg *waker = fxt_find_typed(record, "waker", FXT_ARG_KOID);

	set_signed(payload, 1, record->wakeup.thread);
	set_signed(payload, 2, prio_of(record->wakeup.thread, weight ? weight->value.int64 : 0));
	set_signed(payload, 3, record->cpu);
	set_signed(payload, 4, waker ? waker->value.int64 : -1);
	set_signed(payload, 5, record->wakeup_context);
	return set_comm(dialect, payload, 0, record->wakeup.thread,
			record->cpu);
}

static void fill_arg(bt_field *field, const struct vitrine_fxt_arg *arg)
{
	switch (fxt_arg_class(arg->type)) {
	case FXT_CLASS_SIGNED:
		bt_field_integer_signed_set_value(field, arg->value.int64);
		break;
	case FXT_CLASS_UNSIGNED:
	case FXT_CLASS_ADDRESS:
		bt_field_integer_unsigned_set_value(field, arg->value.uint64);
		break;
	case FXT_CLASS_BOOL:
		bt_field_integer_unsigned_set_value(field, arg->value.boolean);
		break;
	case FXT_CLASS_REAL:
		bt_field_real_double_precision_set_value(field,
							 arg->value.real);
		break;
	case FXT_CLASS_TEXT:
		set_text(field, &arg->value.string);
		break;
	case FXT_CLASS_NONE:
		bt_field_string_set_value(field, "");
		break;
	}
}

static void fill_payload(bt_field *payload, enum dialect_naming naming,
			 const struct vitrine_fxt_record *record)
{
	unsigned int index = 0, i;

	if (naming == NAMING_SOFTIRQ)
		bt_field_integer_unsigned_set_value(member(payload, index++),
			dialect_softirq(&record->event.name));
	if (naming == NAMING_IRQ)
		set_text(member(payload, index++), &record->event.name);
	if (naming == NAMING_LOG)
		set_text(member(payload, index++), &record->log.message);
	for (i = 0; i < record->nr_args; i++)
		fill_arg(member(payload, index + i), &record->args[i]);
}

static uint64_t id_of(const struct vitrine_fxt_record *record)
{
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		return vitrine_fxt_ns(record->event.id,
				      record->ticks_per_second);
	return record->event.id;
}

static bool fill_event(struct dialect *dialect, bt_event *event,
		       const struct vitrine_fxt_record *record)
{
	bt_field *context = bt_event_borrow_specific_context_field(event);
	const struct vitrine_fxt_thread *thread;
	enum dialect_naming naming = dialect_naming(record);
	const struct fxt_name *comm;

	thread = naming == NAMING_LOG ? &record->log.thread :
					&record->event.thread;
	comm = comm_of(dialect, thread->thread);
	if (!comm)
		return false;
	set_signed(context, 0, thread->thread);
	set_signed(context, 1, thread->process == VITRINE_FXT_NO_PROCESS ?
		   comm->process : thread->process);
	if (naming == NAMING_PLAIN) {
		bt_field_integer_unsigned_set_value(member(context, 2),
						    record->event.type);
		if (fxt_phases[record->event.type].has_word)
			bt_field_integer_unsigned_set_value(member(context, 3),
							    id_of(record));
	}
	fill_payload(bt_event_borrow_payload_field(event), naming, record);
	return true;
}

/**
 * dialect_fill() - fill the fields of an event
 * @dialect: dialect
 * @event: event of the class that dialect_class() returned
 * @record: the record
 *
 * Return: false if there is no memory.
 */
bool dialect_fill(struct dialect *dialect, bt_event *event,
		  const struct vitrine_fxt_record *record)
{
	bt_field *payload = bt_event_borrow_payload_field(event);

	if (record->kind == VITRINE_FXT_SWITCH)
		return fill_switch(dialect, payload, record);
	if (record->kind == VITRINE_FXT_WAKEUP)
		return fill_waking(dialect, payload, record);
	return fill_event(dialect, event, record);
}

/* ---- Processes of threads ---- */

/**
 * dialect_forget() - write the processes of all threads again
 * @dialect: dialect
 */
void dialect_forget(struct dialect *dialect)
{
	size_t i;

	for (i = 0; i < dialect->comms.nr; i++)
		dialect->comms.entries[i].used = false;
}

/**
 * dialect_told() - check whether the process of a thread has been written, and mark it so
 * @dialect: dialect
 * @thread: the thread
 * @ret: true if the process has been written before, or is not known; if false, the caller
 *	writes it now
 *
 * Return: false if there is no memory.
 */
bool dialect_told(struct dialect *dialect,
		  const struct vitrine_fxt_thread *thread, bool *ret)
{
	struct fxt_name *comm;

	*ret = true;
	if (!thread->thread)
		return true;
	comm = comm_of(dialect, thread->thread);
	if (!comm)
		return false;
	if (comm->process == VITRINE_FXT_NO_PROCESS)
		comm->process = thread->process;
	*ret = comm->used || comm->process == VITRINE_FXT_NO_PROCESS;
	comm->used = comm->used || !*ret;
	return true;
}

/**
 * dialect_fill_process() - fill the fields of a process_state event
 * @dialect: dialect
 * @event: the event
 * @thread: the thread
 *
 * Fields whose values are not known are 0.
 *
 * Return: false if there is no memory.
 */
bool dialect_fill_process(struct dialect *dialect, bt_event *event,
			  const struct vitrine_fxt_thread *thread)
{
	bt_field *payload = bt_event_borrow_payload_field(event);
	const struct fxt_name *comm = comm_of(dialect, thread->thread);
	unsigned int i;

	if (!comm)
		return false;
	for (i = 0; process_rows[i].name; i++) {
		if (process_rows[i].type == FXT_ARG_STRING_REF)
			bt_field_string_set_value(member(payload, i), comm->name.bytes);
		else
			set_signed(payload, i, i < 2 ? thread->thread : i < 4 ? comm->process : 0);
	}
	return true;
}

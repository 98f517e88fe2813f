// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Event classes, and their fields filled from records.
 *
 * Switches and wakeups have LTTng's fields. Of all other events the payload is
 * the arguments; the thread, and what of the record LTTng has no place for, is
 * the event's context. One class is made for each kind of record, name and row
 * of arguments that comes.
 */
#define _GNU_SOURCE	/* tdestroy() */
#include <ctype.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "dialect.h"

/* Kernel priorities from here on are those of normal threads. */
#define MAX_RT_PRIO	100
#define NORMAL_PRIO	20

/* What a class is found by: longer names than fit get no class. */
#define KEY_BYTES	2048

const char * const dialect_phases[FXT_EVENT_FLOW_END + 1] = {
	[FXT_EVENT_INSTANT]		= "instant",
	[FXT_EVENT_COUNTER]		= "counter",
	[FXT_EVENT_DURATION_BEGIN]	= "begin",
	[FXT_EVENT_DURATION_END]	= "end",
	[FXT_EVENT_DURATION_COMPLETE]	= "complete",
	[FXT_EVENT_ASYNC_BEGIN]		= "async_begin",
	[FXT_EVENT_ASYNC_INSTANT]	= "async_instant",
	[FXT_EVENT_ASYNC_END]		= "async_end",
	[FXT_EVENT_FLOW_BEGIN]		= "flow_begin",
	[FXT_EVENT_FLOW_STEP]		= "flow_step",
	[FXT_EVENT_FLOW_END]		= "flow_end",
};

const char * const dialect_softirqs[DIALECT_SOFTIRQS] = {
	"softirq HI", "softirq TIMER", "softirq NET_TX", "softirq NET_RX",
	"softirq BLOCK", "softirq IRQ_POLL", "softirq TASKLET",
	"softirq SCHED", "softirq HRTIMER", "softirq RCU",
};

struct class {
	char *key;
	bt_event_class *event_class;
};

/* ---- Making classes ---- */

/* Takes over @class. */
static void add_field(bt_field_class *structure, const char *name,
		      bt_field_class *class)
{
	bt_field_class_structure_append_member(structure, name, class);
	bt_field_class_put_ref(class);
}

static void add_signed(struct dialect *dialect, bt_field_class *structure,
		       const char *name, unsigned int bits)
{
	bt_field_class *class;

	class = bt_field_class_integer_signed_create(dialect->trace_class);
	bt_field_class_integer_set_field_value_range(class, bits);
	add_field(structure, name, class);
}

static void add_unsigned(struct dialect *dialect, bt_field_class *structure,
			 const char *name, unsigned int bits)
{
	bt_field_class *class;

	class = bt_field_class_integer_unsigned_create(dialect->trace_class);
	bt_field_class_integer_set_field_value_range(class, bits);
	add_field(structure, name, class);
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
 * dialect_init() - make the classes all traces have
 * @dialect: dialect
 * @component: source component that owns them
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
 * dialect_deinit() - let go of all classes
 * @dialect: dialect, or one that is all zero
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

/* ---- What an event is called ---- */

static int softirq_of(const struct vitrine_fxt_string *name)
{
	int i;

	for (i = 0; i < DIALECT_SOFTIRQS; i++)
		if (fxt_string_is(name, dialect_softirqs[i]))
			return i;
	return -1;
}

static const struct vitrine_fxt_arg *
find_arg(const struct vitrine_fxt_record *record, const char *name)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++)
		if (fxt_string_is(&record->args[i].name, name))
			return &record->args[i];
	return NULL;
}

/* How an event's name, and its payload, come to be. */
enum naming {
	NAMING_PLAIN,		/* category:name, arguments */
	NAMING_SYSCALL,		/* syscall_entry_NAME, arguments */
	NAMING_SOFTIRQ,		/* irq_softirq_entry, vec */
	NAMING_VECTOR,		/* x86_irq_vectors_NAME_entry, arguments */
	NAMING_IRQ,		/* irq_handler_entry, name and arguments */
	NAMING_LOG,		/* message */
};

static enum naming naming_of(const struct vitrine_fxt_record *record)
{
	static const char * const vectors[] = {
		"local_timer", "reschedule", "call_function",
		"call_function_single",
	};
	unsigned int type = record->event.type, i;

	if (record->kind == VITRINE_FXT_LOG)
		return NAMING_LOG;
	if (type != FXT_EVENT_DURATION_BEGIN && type != FXT_EVENT_DURATION_END)
		return NAMING_PLAIN;
	if (fxt_string_is(&record->event.category, "syscall"))
		return NAMING_SYSCALL;
	if (!fxt_string_is(&record->event.category, "irq"))
		return NAMING_PLAIN;
	if (softirq_of(&record->event.name) >= 0)
		return NAMING_SOFTIRQ;
	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		if (fxt_string_is(&record->event.name, vectors[i]))
			return NAMING_VECTOR;
	return find_arg(record, "irq") || find_arg(record, "handled") ?
		       NAMING_IRQ : NAMING_PLAIN;
}

static int print_name(char *name, size_t size, enum naming naming,
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

static bool phase_has_id(unsigned int type)
{
	return type == FXT_EVENT_COUNTER || type > FXT_EVENT_DURATION_END;
}

/* Two records with the same key are of the same class. */
static bool make_key(char *key, bool cpu, const char *name,
		     enum naming naming,
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

/* A field needs an identifier that no other field of its has. */
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

/* The format has no booleans, but names for numbers. */
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
				      enum naming naming,
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
				      enum naming naming,
				      const struct vitrine_fxt_record *record)
{
	bt_field_class *context = structure(dialect);

	add_signed(dialect, context, "tid", 64);
	add_signed(dialect, context, "pid", 64);
	if (naming == NAMING_PLAIN) {
		add_field(context, "phase",
			  create_enumeration(dialect, dialect_phases,
					     FXT_EVENT_FLOW_END + 1));
		if (phase_has_id(record->event.type))
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
	enum naming naming = naming_of(record);
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
 * dialect_class() - the class of the event that a record becomes
 * @dialect: dialect
 * @cpu: its stream is of a CPU
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

/* A thread's name, ready for use; NULL without memory. */
static struct fxt_name *comm_of(struct dialect *dialect, uint64_t koid)
{
	struct fxt_name *comm = fxt_names_get(&dialect->comms, koid);
	struct vitrine_fxt_string name = { "?", 1 };
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

static const char *idle_on(struct dialect *dialect, uint32_t cpu)
{
	struct dialect_idle *idle = &dialect->idle[cpu % DIALECT_RECENT];

	if (idle->key != cpu + 1ULL) {
		idle->key = cpu + 1ULL;
		snprintf(idle->text, sizeof(idle->text), "swapper/%u", cpu);
	}
	return idle->text;
}

static bool set_comm(struct dialect *dialect, bt_field *structure,
		     unsigned int index, uint64_t koid, uint32_t cpu)
{
	struct dialect_name *recent = &dialect->recent[koid % DIALECT_RECENT];
	const struct fxt_name *comm;

	if (!koid) {
		bt_field_string_set_value(member(structure, index),
					  idle_on(dialect, cpu));
		return true;
	}
	if (recent->key != koid + 1) {
		comm = comm_of(dialect, koid);
		if (!comm)
			return false;
		recent->key = koid + 1;
		recent->text = comm->name.bytes;
	}
	bt_field_string_set_value(member(structure, index), recent->text);
	return true;
}

/* What LTTng calls a state: bits of the kernel's, as its tracepoint has them. */
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

static int32_t prio_of(uint64_t koid, int64_t priority)
{
	if (!koid || priority == INT32_MIN)
		return NORMAL_PRIO;
	return priority - MAX_RT_PRIO;
}

static int32_t weight_of(const struct vitrine_fxt_record *record,
			 const char *name, uint64_t koid)
{
	const struct vitrine_fxt_arg *arg = find_arg(record, name);

	return prio_of(koid, arg ? arg->value.int64 : MAX_RT_PRIO + NORMAL_PRIO);
}

static bool fill_switch(struct dialect *dialect, bt_field *payload,
			const struct vitrine_fxt_record *record)
{
	uint64_t outgoing = record->context_switch.outgoing.thread;
	uint64_t incoming = record->context_switch.incoming.thread;
	bool legacy = record->context_switch.legacy;

	set_signed(payload, 1, outgoing);
	set_signed(payload, 2, legacy ?
		   prio_of(outgoing, record->context_switch.outgoing_priority) :
		   weight_of(record, "outgoing_weight", outgoing));
	set_signed(payload, 3,
		   state_of(record->context_switch.outgoing_state));
	set_signed(payload, 5, incoming);
	set_signed(payload, 6, legacy ?
		   prio_of(incoming, record->context_switch.incoming_priority) :
		   weight_of(record, "incoming_weight", incoming));
	return set_comm(dialect, payload, 0, outgoing, record->cpu) &&
	       set_comm(dialect, payload, 4, incoming, record->cpu);
}

static bool fill_waking(struct dialect *dialect, bt_field *payload,
			const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *waker = find_arg(record, "waker");

	set_signed(payload, 1, record->wakeup.thread);
	set_signed(payload, 2, weight_of(record, "weight",
					 record->wakeup.thread));
	set_signed(payload, 3, record->cpu);
	set_signed(payload, 4, waker ? waker->value.int64 : -1);
	return set_comm(dialect, payload, 0, record->wakeup.thread,
			record->cpu);
}

static void fill_arg(bt_field *field, const struct vitrine_fxt_arg *arg)
{
	switch (arg->type) {
	case FXT_ARG_INT32:
	case FXT_ARG_INT64:
		bt_field_integer_signed_set_value(field, arg->value.int64);
		break;
	case FXT_ARG_UINT32:
	case FXT_ARG_UINT64:
	case FXT_ARG_POINTER:
	case FXT_ARG_KOID:
		bt_field_integer_unsigned_set_value(field, arg->value.uint64);
		break;
	case FXT_ARG_BOOL:
		bt_field_integer_unsigned_set_value(field, arg->value.boolean);
		break;
	case FXT_ARG_DOUBLE:
		bt_field_real_double_precision_set_value(field,
							 arg->value.real);
		break;
	case FXT_ARG_STRING_REF:
		set_text(field, &arg->value.string);
		break;
	default:
		bt_field_string_set_value(field, "");
		break;
	}
}

static void fill_payload(bt_field *payload, enum naming naming,
			 const struct vitrine_fxt_record *record)
{
	unsigned int index = 0, i;

	if (naming == NAMING_SOFTIRQ)
		bt_field_integer_unsigned_set_value(member(payload, index++),
			softirq_of(&record->event.name));
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
	enum naming naming = naming_of(record);
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
		if (phase_has_id(record->event.type))
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
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return fill_switch(dialect,
				   bt_event_borrow_payload_field(event),
				   record);
	case VITRINE_FXT_WAKEUP:
		return fill_waking(dialect,
				   bt_event_borrow_payload_field(event),
				   record);
	default:
		return fill_event(dialect, event, record);
	}
}

/* ---- Which process a thread belongs to ---- */

/**
 * dialect_threads() - threads that a record speaks of
 * @record: the record
 * @ret: room for two
 *
 * Return: how many.
 */
unsigned int dialect_threads(const struct vitrine_fxt_record *record,
			     const struct vitrine_fxt_thread **ret)
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		ret[0] = &record->context_switch.outgoing;
		ret[1] = &record->context_switch.incoming;
		return 2;
	case VITRINE_FXT_WAKEUP:
		ret[0] = &record->wakeup;
		return 1;
	case VITRINE_FXT_EVENT:
		ret[0] = &record->event.thread;
		return 1;
	case VITRINE_FXT_LOG:
		ret[0] = &record->log.thread;
		return 1;
	default:
		return 0;
	}
}

/**
 * dialect_forget() - tell all processes again
 * @dialect: dialect
 */
void dialect_forget(struct dialect *dialect)
{
	size_t i;

	memset(dialect->told, 0, sizeof(dialect->told));
	for (i = 0; i < dialect->comms.size; i++)
		dialect->comms.entries[i].used = false;
}

/**
 * dialect_told() - was a thread's process told, or is it told now?
 * @dialect: dialect
 * @thread: the thread
 * @ret: it was told before, or there is nothing to tell
 *
 * Return: false if there is no memory.
 */
bool dialect_told(struct dialect *dialect,
		  const struct vitrine_fxt_thread *thread, bool *ret)
{
	uint64_t *told = &dialect->told[thread->thread % DIALECT_RECENT];
	struct fxt_name *comm;

	*ret = true;
	if (!thread->thread || *told == thread->thread + 1)
		return true;
	comm = comm_of(dialect, thread->thread);
	if (!comm)
		return false;
	if (comm->process == VITRINE_FXT_NO_PROCESS)
		comm->process = thread->process;
	*ret = comm->used || comm->process == VITRINE_FXT_NO_PROCESS;
	comm->used = comm->used || !*ret;
	if (comm->used)
		*told = thread->thread + 1;
	return true;
}

/**
 * dialect_fill_process() - fill the fields of a process_state event
 * @dialect: dialect
 * @event: the event
 * @thread: the thread
 *
 * What is not known is 0.
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
	set_signed(payload, 0, thread->thread);
	set_signed(payload, 1, thread->thread);
	set_signed(payload, 2, comm->process);
	set_signed(payload, 3, comm->process);
	set_signed(payload, 4, 0);
	set_signed(payload, 5, 0);
	bt_field_string_set_value(member(payload, 6), comm->name.bytes);
	for (i = 7; i < 12; i++)
		set_signed(payload, i, 0);
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Golden traces: system calls and interrupts as the module writes them, as complete durations
 * that are written at their end.
 */
#include <stddef.h>
#include <string.h>

#include "mkfxt.h"

enum args {
	NO_ARGS,
	RET,		/* return value of a system call */
	NR_AND_RET,	/* number, too, of a system call without a name */
	IRQ,		/* number of an interrupt that was handled */
	VECTOR,
};

/* An event or, without a category, a switch to the worker, or from it if named "wait". */
struct span {
	const char *category;
	const char *name;
	uint64_t begin;
	uint64_t end;
	enum args args;
	int value;
};

#define SWITCH(name, ticks)		{ NULL, name, 0, ticks, NO_ARGS, 0 }
#define BARE(category, name, begin, end) { category, name, begin, end, NO_ARGS, 0 }

static void span_args(const struct span *span)
{
	if (span->args == NR_AND_RET)
		number_arg(ARG_INT64, "nr", 500);
	if (span->args == NR_AND_RET || span->args == RET)
		number_arg(ARG_INT64, "ret", span->value);
	if (span->args == IRQ) {
		int32_arg("irq", span->value);
		bool_arg("handled", true);
	}
	if (span->args == VECTOR)
		int32_arg("vector", span->value);
}

static void put_span(unsigned int cpu, const struct span *span)
{
	if (!span->category) {
		if (!strcmp(span->name, "wait"))
			legacy_switch(cpu, span->end, 3, WORKER, IDLE);
		else
			legacy_switch(cpu, span->end, 0, IDLE, WORKER);
		return;
	}
	keep();
	span_args(span);
	kept_event(EVENT_COMPLETE, 2, span->category, span->name, span->begin);
	word(span->end);
}

static void spans_subbuf(struct packet *header, const struct span *spans,
			 unsigned int nr)
{
	unsigned int i;

	keep();
	threads();
	for (i = 0; i < nr; i++)
		put_span(header->cpu, &spans[i]);
	kept_subbuf(header, spans[0].end, spans[nr - 1].end);
	subbuf_end(header, nr);
}

#define SUBBUF(header, ...) do {					\
	static const struct span spans[] = { __VA_ARGS__ };		\
									\
	spans_subbuf(header, spans, sizeof(spans) / sizeof(spans[0]));	\
} while (0)

/*
 * Interrupts in softirqs in a system call. The call and an interrupt end in the next
 * sub-buffer. Some interrupts begin at the tick at which another one ends, inside or after
 * it, and some end at once. There is a call without a name, and timers, which are not pairs.
 * Four records are lost between the second sub-buffer and the third, after which a call
 * begins that ends in the fifth. Interrupts of another CPU come in between.
 */
void build_spans(void)
{
	struct packet cpu0 = first_packet(0), cpu1 = first_packet(1);

	SUBBUF(&cpu0,
	       SWITCH("run", 1000),
	       { "irq", "eth0", 1300, 1350, IRQ, 30 },
	       { "irq", "eth0", 1400, 1420, IRQ, 30 },
	       BARE("irq", "softirq NET_RX", 1360, 1450),
	       BARE("timer", "hrtimer", 1470, 1480));
	SUBBUF(&cpu1,
	       { "irq", "eth1", 1405, 1415, IRQ, 31 },
	       { "ipi", "reschedule", 1500, 1800, VECTOR, 253 });
	SUBBUF(&cpu0,
	       BARE("timer", "hrtimer", 1520, 1520),
	       { "irq", "local_timer", 1460, 1520, VECTOR, 236 },
	       { "irq", "eth0", 1530, 1530, IRQ, 30 },
	       BARE("irq", "softirq TIMER", 1520, 1530),
	       BARE("irq", "softirq RCU", 1530, 1530),
	       { "syscall", "read", 1100, 1700, RET, 5 },
	       { "syscall", "unknown", 1710, 1720, NR_AND_RET, -38 },
	       SWITCH("wait", 1900));
	cpu0.sequence++;
	cpu0.records_before += 3;
	cpu0.lost = 1;
	SUBBUF(&cpu0,
	       SWITCH("run", 3000),
	       { "syscall", "write", 3060, 3100, RET, -5 });
	SUBBUF(&cpu0,
	       { "irq", "eth0", 3220, 3230, IRQ, 30 },
	       { "irq", "eth0", 3240, 3250, IRQ, 30 });
	SUBBUF(&cpu0,
	       { "irq", "eth0", 3300, 3310, IRQ, 30 },
	       { "syscall", "sync", 3110, 3400, RET, 0 },
	       SWITCH("wait", 3500));
}

/*
 * A complete trace, in which a sub-buffer has nothing but @nr interrupts that began before the
 * last switch of the sub-buffer before.
 */
static void late_spans(unsigned int nr)
{
	struct span spans[20];
	struct packet cpu0 = first_packet(0);
	unsigned int i;

	for (i = 0; i < nr; i++)
		spans[i] = (struct span)BARE("irq", "softirq NET_RX", 2900 + i, 3100 + i);
	SUBBUF(&cpu0, SWITCH("run", 1000), SWITCH("wait", 2000), SWITCH("run", 3000));
	spans_subbuf(&cpu0, spans, nr);
	SUBBUF(&cpu0, SWITCH("wait", 4000), SWITCH("run", 5000));
}

void build_late_span(void)
{
	late_spans(1);
}

void build_late_spans(void)
{
	late_spans(20);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The tracer to beat: a minimal BPF program that writes 32 bytes per context switch into
 * a ring buffer and never wakes the reader.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct task_struct {
	int pid;
	int prio;
} __attribute__((preserve_access_index));

struct record {
	__u64 time_ns;
	__s32 prev, next;
	__s32 prev_prio, next_prio;
	__u32 state, cpu;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 24);
} ring SEC(".maps");

__u64 dropped;

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int state)
{
	struct record *record = bpf_ringbuf_reserve(&ring, sizeof(*record), 0);

	if (!record) {
		__sync_fetch_and_add(&dropped, 1);
		return 0;
	}
	record->time_ns = bpf_ktime_get_ns();
	record->prev = prev->pid;
	record->next = next->pid;
	record->prev_prio = prev->prio;
	record->next_prio = next->prio;
	record->state = preempt ? 0 : state;
	record->cpu = bpf_get_smp_processor_id();
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return 0;
}

char terms[] SEC("license") = "GPL";

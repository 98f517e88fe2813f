// SPDX-License-Identifier: GPL-2.0
/*
 * Source "block": requests on their way through block devices, from issue to
 * completion, which another thread or an interrupt sees.
 *
 * Concurrency: as event.c has it; nothing here is shared.
 */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <trace/events/block.h>

#include "event.h"
#include "source.h"

static int block_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(block, block_switched);

static const char *request_name(const struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		return "read";
	case REQ_OP_WRITE:
		return "write";
	case REQ_OP_FLUSH:
		return "flush";
	case REQ_OP_DISCARD:
		return "discard";
	default:
		return "request";
	}
}

static u32 request_device(const struct request *rq)
{
	return rq->q->disk ? disk_devt(rq->q->disk) : 0;
}

/* Two requests that are on their way never have both in common. */
static u64 request_id(const struct request *rq)
{
	return (u64)request_device(rq) << 44 ^ blk_rq_pos(rq);
}

static void probe_issue(void *unused, struct request *rq)
{
	u32 device = request_device(rq);

	VITRINE_TRACE(block, VITRINE_RECORD_ASYNC_BEGIN, request_name(rq),
		      request_id(rq),
		      VITRINE_ARG("major", MAJOR(device)),
		      VITRINE_ARG("minor", MINOR(device)),
		      VITRINE_ARG("sector", (u64)blk_rq_pos(rq)),
		      VITRINE_ARG("bytes", blk_rq_bytes(rq)));
}

static void probe_complete(void *unused, struct request *rq,
			   blk_status_t error, unsigned int nr_bytes)
{
	VITRINE_TRACE(block, VITRINE_RECORD_ASYNC_END, request_name(rq),
		      request_id(rq),
		      VITRINE_ARG("error", blk_status_to_errno(error)),
		      VITRINE_ARG("bytes", nr_bytes));
}

static struct vtr_probe probes[] = {
	VTR_PROBE(block_rq_issue, probe_issue),
	VTR_PROBE(block_rq_complete, probe_complete),
};

struct vtr_source vtr_source_block = VTR_SOURCE(block, probes);

static int block_switched(bool on)
{
	return vtr_source_switch(&vtr_source_block, on);
}

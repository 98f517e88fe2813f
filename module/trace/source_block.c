// SPDX-License-Identifier: GPL-2.0
/*
 * Source "block": requests to block devices, from issue to completion. They are
 * asynchronous operations, because another thread or an interrupt completes a request.
 *
 * Concurrency: as in event.c; nothing here is shared.
 */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <trace/events/block.h>

#include "event.h"
#include "source.h"

VTR_SOURCE_CATEGORY(block);

#ifdef CONFIG_BLOCK
static const struct vitrine_arg issue_args[] = {
	{ "disk", FXT_ARG_STRING_REF },
	{ "sector", FXT_ARG_UINT64 },
	{ "bytes", FXT_ARG_UINT32 },
};

static const struct vitrine_arg complete_args[] = {
	{ "error", FXT_ARG_INT32 },
	{ "bytes", FXT_ARG_UINT32 },
};

#define REQUEST_SITES(request)						\
	{								\
		{							\
			VTR_SITE(block, FXT_EVENT_ASYNC_BEGIN |		\
				 VITRINE_RECORD_TEXT, request),		\
			VTR_SITE_ARGS(issue_args),			\
		}, {							\
			VTR_SITE(block, FXT_EVENT_ASYNC_END, request),	\
			VTR_SITE_ARGS(complete_args),			\
		},							\
	}

/* Sites of the issue and the completion of a request, by operation. */
static const struct request_sites {
	struct vitrine_site	issue;
	struct vitrine_site	complete;
} sites[] = {
	[REQ_OP_READ]		= REQUEST_SITES("read"),
	[REQ_OP_WRITE]		= REQUEST_SITES("write"),
	[REQ_OP_FLUSH]		= REQUEST_SITES("flush"),
	[REQ_OP_DISCARD]	= REQUEST_SITES("discard"),
	/* All other operations. */
	REQUEST_SITES("request"),
};

static const struct request_sites *request_sites(const struct request *rq)
{
	BUILD_BUG_ON(ARRAY_SIZE(sites) != 5);
	return &sites[min_t(size_t, (__force u32)req_op(rq), ARRAY_SIZE(sites) - 1)];
}

/*
 * A tag belongs to one request in flight of a hardware queue. Sectors do not tell requests apart:
 * several may be for the same sector, and a flush has none.
 */
static u64 request_id(const struct request *rq)
{
	return (u64)rq->q->id << 32 | rq->mq_hctx->queue_num << BLK_MQ_UNIQUE_TAG_BITS |
	       (rq->tag & BLK_MQ_UNIQUE_TAG_MASK);
}

static void probe_issue(void *unused, struct request *rq)
{
	const struct gendisk *disk = rq->q->disk;

	vitrine_trace_write3(&request_sites(rq)->issue, request_id(rq),
			     (unsigned long)(disk ? disk->disk_name : NULL),
			     blk_rq_pos(rq), blk_rq_bytes(rq));
}

static void probe_complete(void *unused, struct request *rq,
			   blk_status_t error, unsigned int nr_bytes)
{
	vitrine_trace_write2(&request_sites(rq)->complete, request_id(rq),
			     blk_status_to_errno(error), nr_bytes);
}

static struct vtr_probe probes[] = {
	VTR_PROBE(block_rq_issue, probe_issue),
	VTR_PROBE(block_rq_complete, probe_complete),
};
#else
static struct vtr_probe probes[] = {};
#endif

VTR_SOURCE_DEFINE(block, probes)

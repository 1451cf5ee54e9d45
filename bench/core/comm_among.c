/* One of several that a launcher started, without anything that would join them. */
#include <stdlib.h>

#include "bench/base/mem.h"
#include "bench/core/comm.h"

struct among {
	struct comm base;
	int rank, size;
};

static int among_rank(const struct comm *c)
{
	return ((const struct among *)c)->rank;
}

static int among_size(const struct comm *c)
{
	return ((const struct among *)c)->size;
}

static int refuse(const struct comm *c, struct hb_err *err)
{
	return hb_fail(err, HB_E_USAGE,
	               "rank %d of %d works by itself: it cannot reach the other ranks",
	               among_rank(c), among_size(c));
}

static int among_barrier(struct comm *c, struct hb_err *err)
{
	return refuse(c, err);
}

static int among_bcast(struct comm *c, void *buf, size_t len, int root, struct hb_err *err)
{
	(void)buf;
	(void)len;
	(void)root;
	return refuse(c, err);
}

static int among_gatherv(struct comm *c, const void *in, size_t len, struct buf *out, size_t *lens,
                         int root, struct hb_err *err)
{
	(void)in;
	(void)len;
	(void)out;
	(void)lens;
	(void)root;
	return refuse(c, err);
}

static int among_reduce_max(struct comm *c, const double *in, double *out, size_t n, int root,
                            struct hb_err *err)
{
	(void)in;
	(void)out;
	(void)n;
	(void)root;
	return refuse(c, err);
}

static int among_agree(struct comm *c, int mine, int *worst, struct hb_err *err)
{
	(void)mine;
	(void)worst;
	return refuse(c, err);
}

static int among_subset(struct comm *c, const int *ranks, int n, int tag, struct comm **out,
                        struct hb_err *err)
{
	(void)tag;
	if (n != 1 || ranks[0] != among_rank(c))
		return refuse(c, err);
	*out = comm_solo_open();
	return HB_OK;
}

static int among_clock_offset(struct comm *c, int root, double *offset_ns, double *error_ns,
                              struct hb_err *err)
{
	(void)root;
	(void)offset_ns;
	(void)error_ns;
	return refuse(c, err);
}

static void among_close(struct comm *c)
{
	free(c);
}

static const struct comm_ops among_ops = {
	.name = "solo-among",
	.rank = among_rank,
	.size = among_size,
	.barrier = among_barrier,
	.bcast = among_bcast,
	.gatherv = among_gatherv,
	.reduce_max = among_reduce_max,
	.agree = among_agree,
	.subset = among_subset,
	.clock_offset = among_clock_offset,
	.close = among_close,
};

struct comm *comm_solo_among(int rank, int size)
{
	struct among *a = hb_alloc(sizeof(*a));

	a->base.ops = &among_ops;
	a->base.apart = 1;
	a->rank = rank;
	a->size = size;
	return &a->base;
}

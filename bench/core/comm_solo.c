#include "bench/core/comm.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

static int solo_rank(const struct comm *c)
{
	(void)c;
	return 0;
}

static int solo_size(const struct comm *c)
{
	(void)c;
	return 1;
}

static int check_root(int root, struct hb_err *err)
{
	if (root != 0)
		return hb_fail(err, HB_E_USAGE, "rank %d does not exist: this process is alone",
		               root);
	return HB_OK;
}

static int solo_barrier(struct comm *c, struct hb_err *err)
{
	(void)c;
	(void)err;
	return HB_OK;
}

static int solo_bcast(struct comm *c, void *buf, size_t len, int root, struct hb_err *err)
{
	(void)c;
	(void)buf;
	(void)len;
	return check_root(root, err);
}

static int solo_gatherv(struct comm *c, const void *in, size_t len, struct buf *out, size_t *lens,
                        int root, struct hb_err *err)
{
	(void)c;
	if (check_root(root, err) < 0)
		return HB_E_USAGE;
	buf_add(out, in, len);
	if (lens)
		lens[0] = len;
	return HB_OK;
}

static int solo_reduce_max(struct comm *c, const double *in, double *out, size_t n, int root,
                           struct hb_err *err)
{
	(void)c;
	if (check_root(root, err) < 0)
		return HB_E_USAGE;
	if (n > 0 && out != in)
		memmove(out, in, n * sizeof(*in));
	return HB_OK;
}

static int solo_agree(struct comm *c, int mine, int *worst, struct hb_err *err)
{
	(void)c;
	(void)err;
	*worst = mine;
	return HB_OK;
}

static int solo_subset(struct comm *c, const int *ranks, int n, int tag, struct comm **out,
                       struct hb_err *err)
{
	(void)c;
	(void)tag;
	if (n != 1 || ranks[0] != 0)
		return hb_fail(err, HB_E_USAGE,
		               "a group of %d ranks was asked for, but this process is alone", n);
	*out = comm_solo_open();
	return HB_OK;
}

static int solo_clock_offset(struct comm *c, int root, double *offset_ns, double *error_ns,
                             struct hb_err *err)
{
	(void)c;
	*offset_ns = 0.0;
	*error_ns = 0.0;
	return check_root(root, err);
}

static void solo_close(struct comm *c)
{
	free(c);
}

static const struct comm_ops solo_ops = {
	"solo",          solo_rank,  solo_size,   solo_barrier,      solo_bcast, solo_gatherv,
	solo_reduce_max, solo_agree, solo_subset, solo_clock_offset, solo_close,
};

struct comm *comm_solo_open(void)
{
	struct comm *c = hb_alloc(sizeof(*c));

	c->ops = &solo_ops;
	return c;
}

/*
 * Ranks as processes over TCP. Every two ranks have a connection of their own, made at the start,
 * so that a subset talks among itself alone. A message carries the communicator it belongs to and
 * the number of the operation there; what arrives too early, or is left over from a communicator
 * that was given up, is set aside and never taken for something else. No rank ever sends to one
 * that may be sending much to it: data flow to the root or from it.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "bench/core/clock.h"
#include "bench/core/comm.h"
#include "bench/core/comm_tcp_mesh.h"

enum { OFFSET_ROUNDS = 24 };

struct tcp_comm {
	struct comm base;
	struct mesh *mesh; /* shared with the communicators made from this one */
	uint64_t context;  /* which communicator a message belongs to */
	uint64_t op;       /* operations so far: equal on all ranks */
	int rank, size;
	int *ranks; /* rank here -> rank in the mesh */
};

static struct tcp_comm *of(struct comm *c)
{
	return (struct tcp_comm *)c;
}

static int tcp_rank(const struct comm *c)
{
	return ((const struct tcp_comm *)c)->rank;
}

static int tcp_size(const struct comm *c)
{
	return ((const struct tcp_comm *)c)->size;
}

static int check(struct tcp_comm *t, int rc)
{
	if (rc < 0)
		t->base.broken = 1;
	return rc;
}

static int send_to(struct tcp_comm *t, int rank, const void *data, size_t len, struct hb_err *err)
{
	struct mesh_key key = { t->context, t->op };

	return check(t,
	             mesh_send(t->mesh, t->ranks[rank], key, data, len, t->base.deadline_ns, err));
}

/* Appends the message to out. */
static int recv_from(struct tcp_comm *t, int rank, struct buf *out, struct hb_err *err)
{
	struct mesh_key key = { t->context, t->op };

	return check(t, mesh_recv(t->mesh, t->ranks[rank], key, out, t->base.deadline_ns, err));
}

static int recv_exactly(struct tcp_comm *t, int rank, void *data, size_t len, struct hb_err *err)
{
	struct buf got = BUF_INIT;
	int rc = recv_from(t, rank, &got, err);

	if (!rc && got.len != len)
		rc = check(t, hb_fail(err, HB_E_LIB, "rank %d sent %zu bytes, not %zu", rank,
		                      got.len, len));
	if (!rc && len > 0)
		memcpy(data, got.data, len);
	buf_free(&got);
	return rc;
}

/* Every operation starts here: the communicator is whole, the root exists, the count goes on. */
static int begin(struct tcp_comm *t, int root, struct hb_err *err)
{
	if (root < 0 || root >= t->size)
		return hb_fail(err, HB_E_USAGE, "rank %d is not among the %d ranks", root, t->size);
	if (t->base.broken)
		return hb_fail(err, HB_E_TIMEOUT, "these ranks have lost each other before");
	t->op++;
	return HB_OK;
}

static int bcast(struct tcp_comm *t, void *buf, size_t len, int root, struct hb_err *err)
{
	int rc = HB_OK;

	if (t->rank != root)
		return recv_exactly(t, root, buf, len, err);
	for (int i = 0; i < t->size && !rc; i++)
		if (i != root)
			rc = send_to(t, i, buf, len, err);
	return rc;
}

static int tcp_bcast(struct comm *c, void *buf, size_t len, int root, struct hb_err *err)
{
	int rc = begin(of(c), root, err);

	return rc < 0 ? rc : bcast(of(c), buf, len, root, err);
}

static int gather(struct tcp_comm *t, const void *in, size_t len, struct buf *out, size_t *lens,
                  int root, struct hb_err *err)
{
	int rc = HB_OK;

	if (t->rank != root)
		return send_to(t, root, in, len, err);
	for (int i = 0; i < t->size && !rc; i++) {
		size_t before = out->len;

		if (i != root)
			rc = recv_from(t, i, out, err);
		else if (len > 0)
			buf_add(out, in, len);
		if (lens)
			lens[i] = out->len - before;
	}
	return rc;
}

static int tcp_gatherv(struct comm *c, const void *in, size_t len, struct buf *out, size_t *lens,
                       int root, struct hb_err *err)
{
	int rc = begin(of(c), root, err);

	return rc < 0 ? rc : gather(of(c), in, len, out, lens, root, err);
}

static int tcp_barrier(struct comm *c, struct hb_err *err)
{
	struct tcp_comm *t = of(c);
	struct buf nothing = BUF_INIT;
	int rc = begin(t, 0, err);

	if (!rc)
		rc = gather(t, NULL, 0, &nothing, NULL, 0, err);
	if (!rc)
		rc = bcast(t, NULL, 0, 0, err);
	buf_free(&nothing);
	return rc;
}

static int tcp_reduce_max(struct comm *c, const double *in, double *out, size_t n, int root,
                          struct hb_err *err)
{
	struct tcp_comm *t = of(c);
	double *theirs;
	int rc = begin(t, root, err);

	if (rc < 0)
		return rc;
	if (t->rank != root)
		return send_to(t, root, in, n * sizeof(*in), err);
	if (n > 0 && out != in)
		memcpy(out, in, n * sizeof(*in));
	theirs = hb_realloc_array(NULL, n ? n : 1, sizeof(*theirs));
	for (int i = 0; i < t->size && !rc; i++) {
		if (i == root)
			continue;
		rc = recv_exactly(t, i, theirs, n * sizeof(*theirs), err);
		for (size_t k = 0; k < n && !rc; k++)
			if (theirs[k] > out[k])
				out[k] = theirs[k];
	}
	free(theirs);
	return rc;
}

static int tcp_agree(struct comm *c, int mine, int *worst, struct hb_err *err)
{
	struct tcp_comm *t = of(c);
	struct buf all = BUF_INIT;
	int rc = begin(t, 0, err);

	if (!rc)
		rc = gather(t, &mine, sizeof(mine), &all, NULL, 0, err);
	*worst = mine;
	for (size_t at = 0; !rc && at + sizeof(mine) <= all.len; at += sizeof(mine)) {
		int v;

		memcpy(&v, all.data + at, sizeof(v));
		if (v > *worst)
			*worst = v;
	}
	buf_free(&all);
	return rc < 0 ? rc : bcast(t, worst, sizeof(*worst), 0, err);
}

static struct tcp_comm *comm_new(struct mesh *mesh, uint64_t context, int rank, const int *ranks,
                                 int size);

static int tcp_subset(struct comm *c, const int *ranks, int n, int tag, struct comm **out,
                      struct hb_err *err)
{
	struct tcp_comm *t = of(c), *made;
	uint64_t context;
	int mine = -1, rc, *mapped;

	if (n < 1 || n > t->size)
		return hb_fail(err, HB_E_USAGE, "a group of %d out of %d ranks", n, t->size);
	mapped = hb_realloc_array(NULL, (size_t)n, sizeof(*mapped));
	for (int i = 0; i < n; i++) {
		if (ranks[i] < 0 || ranks[i] >= t->size)
			break;
		mapped[i] = t->ranks[ranks[i]];
		if (ranks[i] == t->rank)
			mine = i;
	}
	if (mine < 0) {
		free(mapped);
		return hb_fail(err, HB_E_USAGE, "rank %d asks for a group it is not in", t->rank);
	}
	/* The same name on every member, without asking anybody. */
	context = rng_hash(ranks, (size_t)n * sizeof(*ranks)) ^ t->context ^
	          ((uint64_t)(unsigned)tag + 1) * 0x9e3779b97f4a7c15u;
	made = comm_new(t->mesh, context, mine, mapped, n);
	free(mapped);
	made->base.deadline_ns = c->deadline_ns;
	rc = tcp_barrier(&made->base, err);
	if (rc < 0)
		made->base.ops->close(&made->base);
	else
		*out = &made->base;
	return rc;
}

/* The exchange with the shortest round trip tells most. */
static int ask_offset(struct tcp_comm *t, int root, double *offset_ns, double *error_ns,
                      struct hb_err *err)
{
	double best = -1;

	for (int i = 0; i < OFFSET_ROUNDS; i++) {
		uint64_t theirs = 0, before = clock_ns(), after;
		int rc = send_to(t, root, NULL, 0, err);

		if (!rc)
			rc = recv_exactly(t, root, &theirs, sizeof(theirs), err);
		if (rc < 0)
			return rc;
		after = clock_ns();
		if (best >= 0 && (double)(after - before) >= best)
			continue;
		best = (double)(after - before);
		*offset_ns = (double)(int64_t)(before - theirs) + best / 2;
		*error_ns = best / 2;
	}
	return HB_OK;
}

static int answer_offset(struct tcp_comm *t, int rank, struct hb_err *err)
{
	int rc = HB_OK;

	for (int i = 0; i < OFFSET_ROUNDS && !rc; i++) {
		uint64_t mine;

		rc = recv_exactly(t, rank, NULL, 0, err);
		mine = clock_ns();
		if (!rc)
			rc = send_to(t, rank, &mine, sizeof(mine), err);
	}
	return rc;
}

/* Root serves one rank after the other. */
static int tcp_clock_offset(struct comm *c, int root, double *offset_ns, double *error_ns,
                            struct hb_err *err)
{
	struct tcp_comm *t = of(c);
	int rc = begin(t, root, err);

	if (rc < 0)
		return rc;
	*offset_ns = 0;
	*error_ns = 0;
	if (t->rank != root)
		return ask_offset(t, root, offset_ns, error_ns, err);
	for (int i = 0; i < t->size && !rc; i++)
		if (i != root)
			rc = answer_offset(t, i, err);
	return rc;
}

static void tcp_close(struct comm *c)
{
	struct tcp_comm *t = of(c);

	mesh_unref(t->mesh);
	free(t->ranks);
	free(t);
}

static const struct comm_ops tcp_ops = {
	.name = "tcp",
	.rank = tcp_rank,
	.size = tcp_size,
	.barrier = tcp_barrier,
	.bcast = tcp_bcast,
	.gatherv = tcp_gatherv,
	.reduce_max = tcp_reduce_max,
	.agree = tcp_agree,
	.subset = tcp_subset,
	.clock_offset = tcp_clock_offset,
	.close = tcp_close,
};

static struct tcp_comm *comm_new(struct mesh *mesh, uint64_t context, int rank, const int *ranks,
                                 int size)
{
	struct tcp_comm *t = hb_alloc(sizeof(*t));

	t->base.ops = &tcp_ops;
	t->mesh = mesh_ref(mesh);
	t->context = context;
	t->rank = rank;
	t->size = size;
	t->ranks = hb_realloc_array(NULL, (size_t)size, sizeof(*ranks));
	for (int i = 0; i < size; i++)
		t->ranks[i] = ranks ? ranks[i] : i;
	return t;
}

int comm_tcp_open(int rank, int size, const struct comm_tcp_place *rank0, int timeout_ms,
                  struct comm **out, struct hb_err *err)
{
	struct mesh *mesh;
	int rc = mesh_open(rank, size, rank0, timeout_ms, &mesh, err);

	if (rc < 0)
		return rc;
	*out = &comm_new(mesh, 1, rank, NULL, size)->base;
	mesh_unref(mesh);
	return HB_OK;
}

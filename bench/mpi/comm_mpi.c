#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/mpi/comm_mpi.h"
#include "bench/mpi/comm_mpi_impl.h"
#include "bench/mpi/wait.h"

enum { OFFSET_EXCHANGES = 64 };

/*
 * One message of coordination with its own copy of the data, on the heap: after a timeout MPI may
 * still write to it or read it at any time, so it is left where it is.
 */
struct parcel {
	MPI_Request req;
	size_t len;
	unsigned char data[];
};

static const struct comm_mpi *self_const(const struct comm *c)
{
	return (const struct comm_mpi *)c;
}

/* May a call with this root begin? */
static int usable(const struct comm_mpi *m, int root, struct hb_err *err)
{
	if (root < 0 || root >= m->size)
		return hb_fail(err, HB_E_USAGE, "root is rank %d of %d", root, m->size);
	if (m->base.broken)
		return hb_fail(err, HB_E_TIMEOUT,
		               "an earlier call on these ranks failed or timed out");
	return HB_OK;
}

static int broke(struct comm_mpi *m, int rc)
{
	m->base.broken = 1;
	return rc;
}

static struct parcel *parcel_new(const void *data, size_t len, struct hb_err *err)
{
	struct parcel *p;

	if (len > INT_MAX) {
		hb_fail(err, HB_E_USAGE, "coordination: a message of %zu bytes is too long", len);
		return NULL;
	}
	p = hb_alloc(sizeof(*p) + len);
	p->req = MPI_REQUEST_NULL;
	p->len = len;
	if (data && len)
		memcpy(p->data, data, len);
	return p;
}

static int parcel_send(struct comm_mpi *m, int to, const void *data, size_t len,
                       struct parcel **out, struct hb_err *err)
{
	struct parcel *p = parcel_new(data, len, err);
	int rc;

	if (!p)
		return broke(m, HB_E_USAGE);
	rc = mpi_check(MPI_Isend(p->data, (int)len, MPI_BYTE, m->ranks[to], m->tag, m->world->mpi,
	                         &p->req),
	               "MPI_Isend", err);
	*out = p;
	return rc ? broke(m, rc) : HB_OK;
}

static int parcel_receive(struct comm_mpi *m, int from, size_t len, struct parcel **out,
                          struct hb_err *err)
{
	struct parcel *p = parcel_new(NULL, len, err);
	int rc;

	if (!p)
		return broke(m, HB_E_USAGE);
	rc = mpi_check(MPI_Irecv(p->data, (int)len, MPI_BYTE, m->ranks[from], m->tag, m->world->mpi,
	                         &p->req),
	               "MPI_Irecv", err);
	*out = p;
	return rc ? broke(m, rc) : HB_OK;
}

static int wait_for(const struct comm_mpi *m, MPI_Request *req, struct hb_err *err)
{
	return m->base.idle ? mpi_wait_napping(req, m->base.deadline_ns, err)
	                    : mpi_wait_yielding(req, m->base.deadline_ns, err);
}

/* Waits, copies what came to out (may be NULL) and frees; on failure the parcel is left to MPI. */
static int parcel_finish(struct comm_mpi *m, struct parcel *p, void *out, struct hb_err *err)
{
	int rc = wait_for(m, &p->req, err);

	if (rc)
		return broke(m, rc);
	if (out && p->len)
		memcpy(out, p->data, p->len);
	free(p);
	return HB_OK;
}

static int put(struct comm_mpi *m, int to, const void *data, size_t len, struct hb_err *err)
{
	struct parcel *p;
	int rc = parcel_send(m, to, data, len, &p, err);

	return rc ? rc : parcel_finish(m, p, NULL, err);
}

static int take(struct comm_mpi *m, int from, void *data, size_t len, struct hb_err *err)
{
	struct parcel *p;
	int rc = parcel_receive(m, from, len, &p, err);

	return rc ? rc : parcel_finish(m, p, data, err);
}

static int comm_mpi_rank(const struct comm *c)
{
	return self_const(c)->rank;
}

static int comm_mpi_size(const struct comm *c)
{
	return self_const(c)->size;
}

/*
 * Dissemination: in round k every rank tells its neighbour 2^k further on the largest value it
 * knows; after ceil(log2 size) rounds everybody knows everybody's, because a maximum may be
 * counted twice.
 */
static int comm_mpi_agree(struct comm *c, int mine, int *worst, struct hb_err *err)
{
	struct comm_mpi *m = (struct comm_mpi *)c;
	int rc = usable(m, 0, err);

	for (int step = 1; !rc && step < m->size; step *= 2) {
		struct parcel *in, *out;
		int other = mine;

		rc = parcel_receive(m, (m->rank - step + m->size) % m->size, sizeof(other), &in,
		                    err);
		if (!rc)
			rc = parcel_send(m, (m->rank + step) % m->size, &mine, sizeof(mine), &out,
			                 err);
		if (!rc)
			rc = parcel_finish(m, in, &other, err);
		if (!rc)
			rc = parcel_finish(m, out, NULL, err);
		if (other > mine)
			mine = other;
	}
	if (!rc)
		*worst = mine;
	return rc;
}

static int comm_mpi_barrier(struct comm *c, struct hb_err *err)
{
	int unused;

	return comm_mpi_agree(c, 0, &unused, err);
}

/* The binomial tree over ranks counted from root: the parent is the rank with the lowest bit off.
 */
static int comm_mpi_bcast(struct comm *c, void *buf, size_t len, int root, struct hb_err *err)
{
	struct comm_mpi *m = (struct comm_mpi *)c;
	int rc = usable(m, root, err), me = (m->rank - root + m->size) % m->size, bit = 1;

	while (bit < m->size && !(me & bit))
		bit *= 2;
	if (!rc && me)
		rc = take(m, (me - bit + root) % m->size, buf, len, err);
	for (bit /= 2; !rc && bit; bit /= 2)
		if (me + bit < m->size)
			rc = put(m, (me + bit + root) % m->size, buf, len, err);
	return rc;
}

static int take_appended(struct comm_mpi *m, int from, struct buf *out, size_t *len_out,
                         struct hb_err *err)
{
	struct parcel *p;
	uint64_t len = 0;
	int rc = take(m, from, &len, sizeof(len), err);

	if (!rc)
		rc = parcel_receive(m, from, (size_t)len, &p, err);
	if (!rc)
		rc = wait_for(m, &p->req, err);
	if (rc)
		return broke(m, rc);
	buf_add(out, p->data, p->len);
	*len_out = p->len;
	free(p);
	return HB_OK;
}

static int comm_mpi_gatherv(struct comm *c, const void *in, size_t len, struct buf *out,
                            size_t *lens, int root, struct hb_err *err)
{
	struct comm_mpi *m = (struct comm_mpi *)c;
	int rc = usable(m, root, err);

	if (!rc && m->rank != root) {
		uint64_t n = len;

		rc = put(m, root, &n, sizeof(n), err);
		return rc ? rc : put(m, root, in, len, err);
	}
	for (int r = 0; !rc && r < m->size; r++) {
		size_t got = len;

		if (r == root)
			buf_add(out, in, len);
		else
			rc = take_appended(m, r, out, &got, err);
		if (!rc && lens)
			lens[r] = got;
	}
	return rc;
}

/* The bcast tree backwards. */
static int comm_mpi_reduce_max(struct comm *c, const double *in, double *out, size_t n, int root,
                               struct hb_err *err)
{
	struct comm_mpi *m = (struct comm_mpi *)c;
	int rc = usable(m, root, err), me = (m->rank - root + m->size) % m->size, bit;
	double *best = hb_realloc_array(NULL, n + 1, sizeof(*best));
	double *other = hb_realloc_array(NULL, n + 1, sizeof(*other));

	memcpy(best, in, n * sizeof(*best));
	for (bit = 1; !rc && bit < m->size && !(me & bit); bit *= 2) {
		if (me + bit >= m->size)
			continue;
		rc = take(m, (me + bit + root) % m->size, other, n * sizeof(*other), err);
		for (size_t i = 0; !rc && i < n; i++)
			if (other[i] > best[i])
				best[i] = other[i];
	}
	if (!rc && me)
		rc = put(m, (me - bit + root) % m->size, best, n * sizeof(*best), err);
	if (!rc && !me)
		memcpy(out, best, n * sizeof(*out));
	free(best);
	free(other);
	return rc;
}

static int serve_clock(struct comm_mpi *m, struct hb_err *err)
{
	int rc = HB_OK;

	for (int r = 0; r < m->size; r++)
		for (int i = 0; !rc && r != m->rank && i < OFFSET_EXCHANGES; i++) {
			uint64_t now;

			rc = take(m, r, &now, sizeof(now), err);
			now = clock_ns();
			if (!rc)
				rc = put(m, r, &now, sizeof(now), err);
		}
	return rc;
}

/* Of many exchanges the one with the shortest round trip was delayed least: Cristian 1989. */
static int comm_mpi_clock_offset(struct comm *c, int root, double *offset_ns, double *error_ns,
                                 struct hb_err *err)
{
	struct comm_mpi *m = (struct comm_mpi *)c;
	uint64_t best = UINT64_MAX;
	int rc = usable(m, root, err);

	*offset_ns = 0;
	*error_ns = 0;
	if (!rc && m->rank == root)
		return serve_clock(m, err);
	for (int i = 0; !rc && i < OFFSET_EXCHANGES; i++) {
		uint64_t sent = clock_ns(), theirs = 0, back;

		rc = put(m, root, &sent, sizeof(sent), err);
		if (!rc)
			rc = take(m, root, &theirs, sizeof(theirs), err);
		back = clock_ns();
		if (rc || back - sent >= best)
			continue;
		best = back - sent;
		*error_ns = (double)best / 2;
		*offset_ns = (double)(int64_t)(sent + best / 2 - theirs);
	}
	return rc;
}

static int comm_mpi_subset(struct comm *c, const int *ranks, int n, int tag, struct comm **out,
                           struct hb_err *err)
{
	struct comm_mpi *m = (struct comm_mpi *)c, *s;
	int rc = usable(m, 0, err), me = -1;

	for (int i = 0; !rc && i < n; i++) {
		if (ranks[i] < 0 || ranks[i] >= m->size)
			rc = hb_fail(err, HB_E_USAGE, "subset: rank %d of %d", ranks[i], m->size);
		else if (ranks[i] == m->rank)
			me = i;
	}
	if (!rc && me < 0)
		rc = hb_fail(err, HB_E_USAGE, "subset: the caller, rank %d, is not in it", m->rank);
	if (rc)
		return rc;
	s = comm_mpi_new(m->world, n, me);
	s->base.deadline_ns = m->base.deadline_ns;
	s->tag = comm_mpi_tag(m->world, tag);
	for (int i = 0; i < n; i++)
		s->ranks[i] = m->ranks[ranks[i]];
	*out = &s->base;
	return HB_OK;
}

static void comm_mpi_close(struct comm *c)
{
	struct comm_mpi *m = (struct comm_mpi *)c;

	if (m->base.broken)
		m->world->lost = 1;
	comm_mpi_free(m);
}

const struct comm_ops comm_mpi_ops = {
	.name = "mpi",
	.rank = comm_mpi_rank,
	.size = comm_mpi_size,
	.barrier = comm_mpi_barrier,
	.bcast = comm_mpi_bcast,
	.gatherv = comm_mpi_gatherv,
	.reduce_max = comm_mpi_reduce_max,
	.agree = comm_mpi_agree,
	.subset = comm_mpi_subset,
	.clock_offset = comm_mpi_clock_offset,
	.close = comm_mpi_close,
};

/*
 * Collectives: one row each in the table below, one driver for all. What users run is the blocking
 * call, so that is what is timed; a rank that is lost inside one costs the step.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "bench/mpi/benches.h"
#include "bench/mpi/p2p.h"

/*
 * The data of a checked call: small whole numbers that repeat every PERIOD elements. A prime, so
 * that a piece that arrives displaced by a power of two does not look right; and sums of up to
 * 266,000 ranks stay exact in a float's 24 bits.
 */
enum { PERIOD = 1021, VALUES = 64 };

struct state {
	const struct collective *row;
	MPI_Comm comm;
	struct region in, out;
	MPI_Datatype type;
	int count;
	double mine[PERIOD], expected[PERIOD];
};

struct collective {
	const struct bench_info *info;
	const char *call; /* for errors */
	int (*run)(struct state *s);
	/* What element i of every rank's result must be, given rank r's contributions one by one.
	 */
	double (*combine)(double so_far, double contribution);
};

static int run_allreduce(struct state *s)
{
	return MPI_Allreduce(s->in.at, s->out.at, s->count, s->type, MPI_SUM, s->comm);
}

static double add(double so_far, double contribution)
{
	return so_far + contribution;
}

static const struct collective collectives[] = {
	{ &info_mpi_allreduce, "MPI_Allreduce", run_allreduce, add },
};

static int coll_probe(const struct bench *b, struct hb_err *err)
{
	const struct mpi_opts *o = b->opts;

	if (b->nranks < b->info->min_ranks)
		return hb_fail(err, HB_E_USAGE, "%s needs %d ranks: start it with mpirun -n %d",
		               b->info->name, b->info->min_ranks, b->info->min_ranks);
	if (o->buffers != BUFFERS_HOT || o->sync != SYNC_BARRIER)
		return hb_fail(err, HB_E_USAGE,
		               "%s: only buffers hot and sync barrier can be measured",
		               b->info->name);
	return HB_OK;
}

static int coll_setup(struct bench *b, struct hb_err *err)
{
	struct state *s = b->state;
	int rc;

	for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++)
		if (collectives[i].info == b->info)
			s->row = &collectives[i];
	rc = region_new(&s->in, b->max_bytes, err);
	if (!rc)
		rc = region_new(&s->out, b->max_bytes, err);
	return rc;
}

static void set_element(void *at, int datatype, size_t i, double value)
{
	if (datatype == DATATYPE_INT32)
		((int32_t *)at)[i] = (int32_t)value;
	else if (datatype == DATATYPE_FLOAT)
		((float *)at)[i] = (float)value;
	else
		((double *)at)[i] = value;
}

static double element(const void *at, int datatype, size_t i)
{
	if (datatype == DATATYPE_INT32)
		return ((const int32_t *)at)[i];
	if (datatype == DATATYPE_FLOAT)
		return (double)((const float *)at)[i];
	return ((const double *)at)[i];
}

/* One period of rank's contributions, the same on whichever rank works it out. */
static void contributions(uint64_t seed, int rank, double out[PERIOD])
{
	struct rng r;

	rng_stream(&r, seed, (uint64_t)(unsigned)rank, 0);
	for (int i = 0; i < PERIOD; i++)
		out[i] = (double)(rng_u64(&r) % VALUES);
}

static void expect(const struct bench *b)
{
	struct state *s = b->state;
	double theirs[PERIOD];

	contributions(b->seed, b->rank, s->mine);
	contributions(b->seed, 0, s->expected);
	for (int r = 1; r < b->nranks; r++) {
		contributions(b->seed, r, theirs);
		for (int i = 0; i < PERIOD; i++)
			s->expected[i] = s->row->combine(s->expected[i], theirs[i]);
	}
}

static int coll_prepare(struct bench *b, struct hb_err *err)
{
	struct state *s = b->state;
	const struct mpi_opts *o = b->opts;
	uint64_t unit = datatype_size(o->datatype);

	if (b->bytes < unit || b->bytes % unit || b->bytes / unit > INT32_MAX ||
	    b->bytes > b->max_bytes || o->datatype == DATATYPE_BYTE)
		return hb_fail(err, HB_E_USAGE, "%s: %" PRIu64 " bytes are no count of elements",
		               b->info->name, b->bytes);
	s->type = datatype_mpi(o->datatype);
	s->count = (int)(b->bytes / unit);
	expect(b);
	for (size_t i = 0; i < (size_t)s->count; i++)
		set_element(s->in.at, o->datatype, i, s->mine[i % PERIOD]);
	return comm_mpi_group(b->comm, &s->comm, err);
}

static int coll_iterate(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	struct state *s = b->state;

	(void)sink;
	for (uint64_t i = 0; i < n; i++) {
		int rc = s->row->run(s);

		if (rc != MPI_SUCCESS) {
			b->comm->broken = 1;
			return mpi_check(rc, s->row->call, err);
		}
	}
	return HB_OK;
}

static int coll_verify(struct bench *b, uint64_t *checked, uint64_t *bad, struct hb_err *err)
{
	struct state *s = b->state;
	const struct mpi_opts *o = b->opts;
	int rc;

	/* No sum is negative: an element that was never written is wrong. */
	for (size_t i = 0; i < (size_t)s->count; i++)
		set_element(s->out.at, o->datatype, i, -1);
	rc = coll_iterate(b, 1, NULL, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < (size_t)s->count; i++)
		*bad += element(s->out.at, o->datatype, i) != s->expected[i % PERIOD];
	*checked += (uint64_t)s->count;
	return HB_OK;
}

static double coll_bytes(const struct bench *b)
{
	return (double)b->bytes;
}

static void coll_teardown(struct bench *b)
{
	struct state *s = b->state;

	if (b->comm->broken)
		return;
	region_free(&s->in);
	region_free(&s->out);
}

/* Every collective's bench_ops: only the row it finds differs. */
#define COLLECTIVE(row_info)                                                                       \
	{                                                                                          \
		.info = (row_info), .state_size = sizeof(struct state), .probe = coll_probe,       \
		.setup = coll_setup, .prepare = coll_prepare, .iterate = coll_iterate,             \
		.verify = coll_verify, .bytes_moved = coll_bytes, .teardown = coll_teardown,       \
	}

const struct bench_ops bench_mpi_allreduce = COLLECTIVE(&info_mpi_allreduce);

/*
 * mpi.world: is this world the one that was started? Every rank tells how many ranks MPI sees, and
 * sends its number to the next rank of the job. Two worlds of the right size that do not hear each
 * other, or a network that carries no message, show themselves so.
 */
#include <mpi.h>
#include <stdlib.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/env.h"
#include "bench/mpi/benches.h"
#include "bench/mpi/wait.h"

/* No unit of the benchmarks has it: those are multiples of three and what follows (world.c). */
enum { TAG = 1 };
#define WAIT_S 5.0

/* On the heap: MPI may write to it after we gave up. */
struct word {
	MPI_Request req;
	int rank;
};

static int wait_word(struct word *w, uint64_t until, struct hb_err *err)
{
	return mpi_wait_napping(&w->req, until, err);
}

/* What the rank before says, and our word to the next one. */
static int ask_neighbour(const struct tell *t, int from, int to, char *text, size_t n,
                         struct hb_err *err)
{
	struct word *in = hb_alloc(sizeof(*in)), *out = hb_alloc(sizeof(*out));
	uint64_t until = clock_ns() + (uint64_t)(WAIT_S * 1e9);
	int rc;

	if (t->deadline_ns > 0 && t->deadline_ns < until)
		until = t->deadline_ns;
	in->rank = -1;
	out->rank = t->ranks[t->me];
	rc = mpi_check(MPI_Irecv(&in->rank, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &in->req),
	               "MPI_Irecv", err);
	if (!rc)
		rc = mpi_check(
		        MPI_Isend(&out->rank, 1, MPI_INT, to, TAG, MPI_COMM_WORLD, &out->req),
		        "MPI_Isend", err);
	if (!rc)
		rc = wait_word(in, until, err);
	if (!rc)
		rc = wait_word(out, until, err);
	if (rc) {
		/* Both stay with MPI. */
		snprintf(text, n, "no message of rank %d in %g s", from, WAIT_S);
		return rc;
	}
	if (in->rank == from)
		snprintf(text, n, "ok");
	else
		snprintf(text, n, "rank %d calls itself %d", from, in->rank);
	free(in);
	free(out);
	return HB_OK;
}

static int tell(const struct tell *t, struct hb_err *err)
{
	int size = 0, started = 0, n = t->n_ranks;
	int from = t->ranks[(t->me + n - 1) % n], to = t->ranks[(t->me + 1) % n];
	char text[80];
	int rc = mpi_check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size", err);

	if (!rc)
		rc = env_launch_started(&started, err);
	for (int i = 0; !rc && i < n; i++)
		if (t->ranks[i] >= size)
			rc = hb_fail(err, HB_E_USAGE, "the job names rank %d of %d", t->ranks[i],
			             size);
	if (rc)
		return rc;
	rc = ask_neighbour(t, from, to, text, sizeof(text), err);
	/* One process a node is enough for what all of them see. */
	if (rc == HB_OK && env_launch_local() > 0 && text[0] == 'o')
		return HB_OK;
	fact_tell_u64(t->sink, "", "world.size", (uint64_t)size, "MPI_Comm_size");
	if (started > 0)
		fact_tell_u64(t->sink, "", "world.started", (uint64_t)started, "launcher");
	fact_tell(t->sink, "", "world.neighbour", text, "MPI_Irecv");
	return rc;
}

const struct bench_ops bench_mpi_world = { .info = &info_mpi_world, .tell = tell };

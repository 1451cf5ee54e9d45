/* The world's start and end, and the communicators that collectives run on. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/base/mem.h"
#include "bench/core/control.h"
#include "bench/mpi/comm_mpi.h"
#include "bench/mpi/comm_mpi_impl.h"
#include "bench/mpi/wait.h"

enum { TAG_COORDINATION, TAG_DATA, TAG_TOKEN, TAGS_EACH };
enum { TAG_UB_LEAST = 32767 }; /* what MPI promises */

struct comm_mpi *comm_mpi_new(struct comm_mpi *world, int size, int rank)
{
	struct comm_mpi *m = hb_alloc(sizeof(*m));

	m->base.ops = &comm_mpi_ops;
	m->world = world ? world : m;
	m->size = size;
	m->rank = rank;
	m->ranks = hb_realloc_array(NULL, (size_t)size, sizeof(*m->ranks));
	m->mpi = MPI_COMM_NULL;
	return m;
}

void comm_mpi_free(struct comm_mpi *m)
{
	for (int i = 0; i < m->n_groups; i++)
		free(m->groups[i].ranks);
	free(m->groups);
	free(m->ranks);
	free(m);
}

int comm_mpi_tag(const struct comm_mpi *world, int tag)
{
	return (1 + (int)((unsigned)tag % (unsigned)(world->tags - 1))) * TAGS_EACH;
}

static int tags_of(MPI_Comm comm)
{
	int *upper, found = 0, ub = TAG_UB_LEAST;

	if (MPI_Comm_get_attr(comm, MPI_TAG_UB, &upper, &found) == MPI_SUCCESS && found)
		ub = *upper;
	return ub / TAGS_EACH;
}

/*
 * Open MPI 4.1 crashes (a handler that is not there yet) where a message reaches a rank that is
 * still in MPI_Init. Over the control channel nobody is commanded before all have come out of it;
 * without a harness that watches this a moment must do.
 */
static void let_others_come(int size)
{
	const struct timespec moment = { 0, 200000000 };

	if (size > 1 && !control_wanted())
		nanosleep(&moment, NULL);
}

/* No message is sent here: see above. */
int comm_mpi_world(struct comm **out, int *argc, char ***argv, struct hb_err *err)
{
	struct comm_mpi *m;
	int provided, rank = 0, size = 0;
	int rc = mpi_check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided),
	                   "MPI_Init_thread", err);

	if (!rc)
		rc = mpi_check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
		               "MPI_Comm_set_errhandler", err);
	if (!rc)
		rc = mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank", err);
	if (!rc)
		rc = mpi_check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size", err);
	if (rc)
		return rc;
	let_others_come(size);
	m = comm_mpi_new(NULL, size, rank);
	for (int i = 0; i < size; i++)
		m->ranks[i] = i;
	m->mpi = MPI_COMM_WORLD;
	m->tags = tags_of(MPI_COMM_WORLD);
	*out = &m->base;
	return HB_OK;
}

void comm_mpi_leave(struct comm *world, int clean)
{
	struct comm_mpi *m = (struct comm_mpi *)world;

	if (!clean || m->lost)
		return;
	for (int i = 0; i < m->n_groups; i++)
		MPI_Comm_free(&m->groups[i].mpi);
	MPI_Finalize();
	comm_mpi_free(m);
}

void comm_mpi_route(const struct comm *c, int rank, struct mpi_route *out)
{
	const struct comm_mpi *m = (const struct comm_mpi *)c;

	*out = (struct mpi_route){
		.comm = m->world->mpi,
		.rank = m->ranks[rank],
		.tag_data = m->tag + TAG_DATA,
		.tag_token = m->tag + TAG_TOKEN,
	};
}

/* Moves the group of these ranks to the front and returns it, or NULL. */
static struct group *group_find(struct comm_mpi *w, const int *ranks, int n)
{
	for (int i = 0; i < w->n_groups; i++) {
		struct group g = w->groups[i];

		if (g.n != n || memcmp(g.ranks, ranks, (size_t)n * sizeof(*ranks)) != 0)
			continue;
		memmove(w->groups + 1, w->groups, (size_t)i * sizeof(g));
		w->groups[0] = g;
		return &w->groups[0];
	}
	return NULL;
}

static int group_drop(struct comm_mpi *w, int i, struct hb_err *err)
{
	MPI_Comm mpi = w->groups[i].mpi;

	free(w->groups[i].ranks);
	w->n_groups--;
	memmove(w->groups + i, w->groups + i + 1, (size_t)(w->n_groups - i) * sizeof(*w->groups));
	return mpi_check(MPI_Comm_free(&mpi), "MPI_Comm_free", err);
}

static void group_keep(struct comm_mpi *w, const int *ranks, int n, MPI_Comm mpi)
{
	struct group g = { .n = n, .mpi = mpi };

	g.ranks = hb_realloc_array(NULL, (size_t)n, sizeof(*g.ranks));
	memcpy(g.ranks, ranks, (size_t)n * sizeof(*g.ranks));
	if (!w->groups)
		w->groups = hb_realloc_array(NULL, GROUPS_KEPT, sizeof(*w->groups));
	memmove(w->groups + 1, w->groups, (size_t)w->n_groups * sizeof(g));
	w->groups[0] = g;
	w->n_groups++;
}

static int group_make(const struct comm_mpi *m, MPI_Comm *out, struct hb_err *err)
{
	MPI_Group all, some = MPI_GROUP_NULL;
	int rc = mpi_check(MPI_Comm_group(m->world->mpi, &all), "MPI_Comm_group", err);

	if (rc)
		return rc;
	rc = mpi_check(MPI_Group_incl(all, m->size, m->ranks, &some), "MPI_Group_incl", err);
	if (!rc)
		rc = mpi_check(MPI_Comm_create_group(m->world->mpi, some, m->tag, out),
		               "MPI_Comm_create_group", err);
	if (some != MPI_GROUP_NULL)
		MPI_Group_free(&some);
	MPI_Group_free(&all);
	return rc;
}

/*
 * Ranks may remember differently (one gave its group up after a failure), and a mixture of old and
 * new would hang: so either all use what they kept, or all make it anew.
 */
int comm_mpi_group(struct comm *c, MPI_Comm *out, struct hb_err *err)
{
	struct comm_mpi *m = (struct comm_mpi *)c, *w = m->world;
	struct group *kept = group_find(w, m->ranks, m->size);
	int missing = 0, rc = c->ops->agree(c, !kept, &missing, err);

	if (rc)
		return rc;
	if (kept && !missing) {
		*out = kept->mpi;
		return HB_OK;
	}
	if (kept)
		rc = group_drop(w, 0, err);
	else if (w->n_groups == GROUPS_KEPT)
		rc = group_drop(w, GROUPS_KEPT - 1, err);
	if (!rc)
		rc = group_make(m, out, err);
	if (!rc)
		group_keep(w, m->ranks, m->size, *out);
	return rc;
}

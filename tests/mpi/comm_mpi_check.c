/*
 * What comm_mpi promises: the contract that all implementations share, and more; started by mpirun
 * with 2, 3 and 5 ranks. Ends with the first thing that is wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/core/clock.h"
#include "bench/mpi/comm_mpi.h"
#include "comm_contract.h"

#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s:%d: rank %d of %d: %s\n", __FILE__, __LINE__, rank,    \
			        size, #what);                                                      \
			MPI_Abort(MPI_COMM_WORLD, 1);                                              \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#define OK(call) CHECK((call) == HB_OK)

static struct hb_err err;

static uint64_t in_ms(uint64_t ms)
{
	return clock_ns() + ms * 1000000u;
}

static void the_contract_of_all_implementations_holds(struct comm *world, int rank, int size)
{
	struct contract broken = { "" };

	if (comm_contract(world, &broken) < 0)
		fprintf(stderr, "rank %d: %s\n", rank, broken.text);
	CHECK(!broken.text[0]);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Idle waits keep the contract and leave the core to others meanwhile. */
static void idle_waits_nap(struct comm *world, int rank, int size)
{
	static const struct timespec late = { 0, 500000000 };
	struct contract broken = { "" };
	uint64_t cpu;

	world->idle = 1;
	world->deadline_ns = in_ms(60000);
	if (comm_contract_collectives(world, &broken) < 0)
		fprintf(stderr, "rank %d: %s\n", rank, broken.text);
	CHECK(!broken.text[0]);
	world->deadline_ns = in_ms(60000);
	OK(world->ops->barrier(world, &err));
	if (rank == 0)
		nanosleep(&late, NULL);
	cpu = cpu_ns();
	OK(world->ops->barrier(world, &err));
	CHECK(cpu_ns() - cpu < 250000000u);
	world->idle = 0;
	world->deadline_ns = 0;
}

/* A subset is free of charge: the named ranks need not even be there. */
static void making_a_subset_never_waits(struct comm *world, int rank, int size)
{
	int ranks[2] = { 0, size - 1 };
	struct comm *c;

	if (rank == 0) {
		OK(world->ops->subset(world, ranks, 2, 77, &c, &err));
		CHECK(c->ops->size(c) == 2 && c->ops->rank(c) == 0);
		c->ops->close(c);
		ranks[1] = size;
		CHECK(world->ops->subset(world, ranks, 2, 77, &c, &err) == HB_E_USAGE);
	} else {
		ranks[1] = 0;
		CHECK(world->ops->subset(world, ranks, 1, 77, &c, &err) == HB_E_USAGE);
	}
}

/* The last rank stays away from a pair; only that pair is lost, and what it left does not mix. */
static void a_missing_rank_costs_its_pair_only(struct comm *world, int rank, int size)
{
	int ranks[2] = { 0, size - 1 }, value = 41, others[8];
	struct comm *c;

	if (rank == 0) {
		OK(world->ops->subset(world, ranks, 2, 5, &c, &err));
		c->deadline_ns = in_ms(100);
		OK(c->ops->bcast(c, &value, sizeof(value), 0, &err));
		CHECK(c->ops->barrier(c, &err) == HB_E_TIMEOUT);
		CHECK(c->broken);
		CHECK(c->ops->barrier(c, &err) == HB_E_TIMEOUT);
		c->ops->close(c);
		CHECK(!world->broken);
	}
	for (int i = 0; i < size - 1; i++)
		others[i] = i;
	if (rank < size - 1) {
		OK(world->ops->subset(world, others, size - 1, 6, &c, &err));
		c->deadline_ns = in_ms(30000);
		OK(c->ops->barrier(c, &err));
		c->ops->close(c);
	}
	if (rank == 0 || rank == size - 1) {
		value = rank == 0 ? 42 : 0;
		OK(world->ops->subset(world, ranks, 2, 7, &c, &err));
		c->deadline_ns = in_ms(30000);
		OK(c->ops->bcast(c, &value, sizeof(value), 0, &err));
		OK(c->ops->barrier(c, &err));
		CHECK(value == 42);
		c->ops->close(c);
	}
}

/* Ranks in another order than in the world, as a group's are. */
static void reversed(int *ranks, int size, int shift)
{
	for (int i = 0; i < size; i++)
		ranks[i] = (size - 1 - i + shift) % size;
}

static void a_group_is_made_once_and_sums_over_its_ranks(struct comm *world, int rank, int size)
{
	int ranks[8], mine = 1 << rank, sum = 0, mpi_rank = -1;
	MPI_Comm first, again;
	struct comm *c;

	reversed(ranks, size, 0);
	OK(world->ops->subset(world, ranks, size, 8, &c, &err));
	c->deadline_ns = in_ms(30000);
	OK(comm_mpi_group(c, &first, &err));
	MPI_Comm_rank(first, &mpi_rank);
	CHECK(mpi_rank == size - 1 - rank && mpi_rank == c->ops->rank(c));
	CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, first) == MPI_SUCCESS);
	CHECK(sum == (1 << size) - 1);
	OK(comm_mpi_group(c, &again, &err));
	CHECK(again == first);
	c->ops->close(c);
	OK(world->ops->subset(world, ranks, size, 9, &c, &err));
	c->deadline_ns = in_ms(30000);
	OK(comm_mpi_group(c, &again, &err));
	CHECK(again == first);
	c->ops->close(c);
}

/* Next permutation in lexical order: enough different groups to push the first ones out. */
static void permute(int *v, int n)
{
	int i = n - 2, j = n - 1, t;

	while (i >= 0 && v[i] > v[i + 1])
		i--;
	if (i < 0)
		return;
	while (v[j] < v[i])
		j--;
	t = v[i], v[i] = v[j], v[j] = t;
	for (int a = i + 1, b = n - 1; a < b; a++, b--)
		t = v[a], v[a] = v[b], v[b] = t;
}

static void more_groups_than_are_kept_still_work(struct comm *world, int rank, int size)
{
	int ranks[8], start[8], sum;
	MPI_Comm mpi;
	struct comm *c;

	for (int i = 0; i < size; i++)
		ranks[i] = start[i] = i;
	for (int round = 0; round < 80; round++) {
		OK(world->ops->subset(world, round == 79 ? start : ranks, size, 100 + round, &c,
		                      &err));
		c->deadline_ns = in_ms(30000);
		OK(comm_mpi_group(c, &mpi, &err));
		CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, mpi) == MPI_SUCCESS);
		CHECK(sum == size * (size - 1) / 2);
		c->ops->close(c);
		permute(ranks, size);
	}
}

/* A group whose ranks do not all come: the others learn it before they enter MPI for good. */
static void a_group_that_never_meets_times_out(struct comm *world, int rank, int size)
{
	int ranks[8];
	MPI_Comm mpi;
	struct comm *c;

	reversed(ranks, size, 1);
	if (rank == size - 1)
		return;
	OK(world->ops->subset(world, ranks, size, 300, &c, &err));
	c->deadline_ns = in_ms(100);
	CHECK(comm_mpi_group(c, &mpi, &err) == HB_E_TIMEOUT);
	CHECK(strstr(err.text, "deadline"));
	c->ops->close(c);
}

int main(int argc, char **argv)
{
	struct comm *world;
	int rank = -1, size = 0, finalized = 0;

	OK(comm_mpi_world(&world, &argc, &argv, &err));
	rank = world->ops->rank(world);
	size = world->ops->size(world);
	CHECK(argc == 2 && size == strtol(argv[1], NULL, 10));
	the_contract_of_all_implementations_holds(world, rank, size);
	idle_waits_nap(world, rank, size);
	making_a_subset_never_waits(world, rank, size);
	a_missing_rank_costs_its_pair_only(world, rank, size);
	a_group_is_made_once_and_sums_over_its_ranks(world, rank, size);
	more_groups_than_are_kept_still_work(world, rank, size);
	a_group_that_never_meets_times_out(world, rank, size);
	world->deadline_ns = in_ms(30000);
	OK(world->ops->barrier(world, &err));
	/* Who lost somebody does not wait for them at the end; here all are alive after all. */
	comm_mpi_leave(world, 1);
	MPI_Finalized(&finalized);
	CHECK(finalized == (rank == size - 1));
	if (!finalized)
		MPI_Finalize();
	return 0;
}

#include <sched.h>
#include <time.h>

#include "bench/core/clock.h"
#include "bench/mpi/wait.h"

enum { POLLS_BEFORE_YIELD = 1024, YIELDS_PER_LOOK = 16, POLLS_BEFORE_NAP = 64, NAP_NS = 1000000 };

int mpi_check(int rc, const char *call, struct hb_err *err)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len = 0;

	if (rc == MPI_SUCCESS)
		return HB_OK;
	if (MPI_Error_string(rc, text, &len) != MPI_SUCCESS)
		len = 0;
	return hb_fail(err, HB_E_LIB, "%s: %.*s (code %d)", call, len, text, rc);
}

bool mpi_wait_passed(uint64_t deadline_ns)
{
	return deadline_ns && clock_ns() >= deadline_ns;
}

int mpi_wait_timed_out(struct hb_err *err)
{
	return hb_fail(err, HB_E_TIMEOUT, "the other rank did not answer before the deadline");
}

/* Polls some times without a break; then rests after each, and looks at the clock now and then. */
struct patience {
	unsigned eager, rests_per_look;
	void (*rest)(void);
};

static void give_way(void)
{
	sched_yield();
}

static void nap(void)
{
	static const struct timespec length = { 0, NAP_NS };

	nanosleep(&length, NULL);
}

static int wait_with(const struct patience *p, MPI_Request *req, uint64_t deadline_ns,
                     struct hb_err *err)
{
	int done = 0;

	for (unsigned polls = 1;; polls++) {
		int rc = MPI_Test(req, &done, MPI_STATUS_IGNORE);

		if (rc != MPI_SUCCESS)
			return mpi_check(rc, "MPI_Test", err);
		if (done)
			return HB_OK;
		if (polls < p->eager)
			continue;
		if (polls % p->rests_per_look == 0 && mpi_wait_passed(deadline_ns))
			return mpi_wait_timed_out(err);
		p->rest();
	}
}

int mpi_wait_yielding(MPI_Request *req, uint64_t deadline_ns, struct hb_err *err)
{
	static const struct patience p = { POLLS_BEFORE_YIELD, YIELDS_PER_LOOK, give_way };

	return wait_with(&p, req, deadline_ns, err);
}

int mpi_wait_napping(MPI_Request *req, uint64_t deadline_ns, struct hb_err *err)
{
	static const struct patience p = { POLLS_BEFORE_NAP, 1, nap };

	return wait_with(&p, req, deadline_ns, err);
}

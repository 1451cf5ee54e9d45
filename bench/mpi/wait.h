/*
 * Waiting for MPI without ever hanging: requests are polled, and the clock is read only now and
 * then. Both kinds of waiting end with HB_E_TIMEOUT; the request then stays with MPI for good, so
 * its buffer must never be freed or used again.
 */
#ifndef HPCBENCH_MPI_WAIT_H
#define HPCBENCH_MPI_WAIT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/base/err.h"

/* HB_OK, or HB_E_LIB with what MPI says about rc. */
int mpi_check(int rc, const char *call, struct hb_err *err);

/* Parts of waiting: has the deadline passed, and the error that says so. */
bool mpi_wait_passed(uint64_t deadline_ns);
int mpi_wait_timed_out(struct hb_err *err);

/*
 * For timed code: polls without a break. deadline_ns is absolute on clock_ns(); 0: none. Inline,
 * because a message within a node takes no longer than some dozens of calls.
 */
static inline int mpi_wait_spinning(MPI_Request *req, uint64_t deadline_ns, struct hb_err *err)
{
	/*
	 * A poll takes about 50 ns, a look at the clock about half of that: once in 1,024 polls it
	 * is not measurable. Where ranks share a core and MPI yields in every poll, 1,024 polls can
	 * take a second or so; a rarer look would let a deadline pass by minutes.
	 */
	enum { POLLS_PER_LOOK = 1024 };
	int done = 0;

	for (unsigned polls = 1;; polls++) {
		int rc = MPI_Test(req, &done, MPI_STATUS_IGNORE);

		if (done && rc == MPI_SUCCESS)
			return HB_OK;
		if (rc != MPI_SUCCESS)
			return mpi_check(rc, "MPI_Test", err);
		if (polls % POLLS_PER_LOOK == 0 && mpi_wait_passed(deadline_ns))
			return mpi_wait_timed_out(err);
	}
}
/* For coordination: gives the core away after a while, so that others on it get on. */
int mpi_wait_yielding(MPI_Request *req, uint64_t deadline_ns, struct hb_err *err);
/* For waits that may last while others measure: sleeps between looks, a millisecond each. */
int mpi_wait_napping(MPI_Request *req, uint64_t deadline_ns, struct hb_err *err);

#endif

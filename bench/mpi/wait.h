/*
 * Waiting for MPI without ever hanging: requests are polled, and the clock is read only now and
 * then. Both kinds of waiting end with HB_E_TIMEOUT; the request then stays with MPI for good, so
 * its buffer must never be freed or used again.
 */
#ifndef HPCBENCH_MPI_WAIT_H
#define HPCBENCH_MPI_WAIT_H

#include <mpi.h>
#include <stdint.h>

#include "bench/base/err.h"

/* HB_OK, or HB_E_LIB with what MPI says about rc. */
int mpi_check(int rc, const char *call, struct hb_err *err);

/* For timed code: polls without a break. deadline_ns is absolute on clock_ns(); 0: none. */
int mpi_wait_spinning(MPI_Request *req, uint64_t deadline_ns, struct hb_err *err);
/* For coordination: gives the core away after a while, so that others on it get on. */
int mpi_wait_yielding(MPI_Request *req, uint64_t deadline_ns, struct hb_err *err);

#endif

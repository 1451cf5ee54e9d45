/*
 * Failing together: what the ranks of one unit do with their statuses, always outside timed parts.
 */
#ifndef HPCBENCH_CORE_AGREE_H
#define HPCBENCH_CORE_AGREE_H

#include "bench/core/comm.h"

/*
 * Every rank gives its own status rc (with *err filled where it failed); every rank returns the
 * same: HB_OK when all are well, else the worst. The reasons of the ranks that failed are put
 * together at rank 0 ("rank 3: text"); a rank that was well itself hears that another failed. A
 * rank that comes with HB_E_TIMEOUT, or whose peers do not answer, returns that at once and marks
 * the communicator broken: nobody can be waited for any more.
 */
int agree_status(struct comm *c, int rc, struct hb_err *err);

#endif

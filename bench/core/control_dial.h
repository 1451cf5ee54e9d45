/* One address of the control channel, dialled. */
#ifndef HPCBENCH_CORE_CONTROL_DIAL_H
#define HPCBENCH_CORE_CONTROL_DIAL_H

#include "bench/base/err.h"

/*
 * Connects to text, "10.0.0.1:4711" or "[fe80::1]:4711", within CONTROL_CONNECT_MS. *fd, set only
 * on success, is the caller's: non-blocking and closed on exec. HB_E_USAGE where the text is no
 * such address, HB_E_TIMEOUT where nobody answers, else HB_E_IO.
 */
int control_dial(const char *text, int *fd, struct hb_err *err);

#endif

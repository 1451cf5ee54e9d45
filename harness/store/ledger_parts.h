/* What the ledger_*.c files share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_LEDGER_PARTS_H
#define HPCBENCH_HARNESS_LEDGER_PARTS_H

#include "harness/store/ledger.h"

char *ledger_path(const struct store *s);
/*
 * Reads and checks the file; *clusters, the caller's, is empty if there is none. HB_E_FORMAT: it is
 * no ledger; HB_E_IO: it cannot be read now.
 */
int ledger_load(const char *path, json_object **clusters, struct hb_err *err);

#endif

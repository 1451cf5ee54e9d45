/* Lists of names as they stand on a command line: "a,b,c". */
#ifndef HPCBENCH_BASE_NAMES_H
#define HPCBENCH_BASE_NAMES_H

#include "bench/base/err.h"

typedef int names_fn(const char *name, void *arg, struct hb_err *err);
/*
 * Calls each for every name, in order, until one fails, and returns what it returned. An empty
 * name, or list, is HB_E_USAGE; what: the option, "--bench", for the message.
 */
int names_each(const char *what, const char *list, names_fn *each, void *arg, struct hb_err *err);

#endif

/* What reading a summary and reading a baseline have in common. */
#ifndef HPCBENCH_HARNESS_READ_H
#define HPCBENCH_HARNESS_READ_H

#include "bench/base/json.h"

enum { READ_TEXT_MAX = 4096, READ_NAMES_MAX = 1 << 17 };

/* A copy of a string member, the caller's: at most READ_TEXT_MAX bytes, not empty where required.
 * *out becomes NULL where it is absent. */
int read_text(json_object *o, const struct js_at *at, const char *name, enum js_need need,
              char **out, struct hb_err *err);
/* An optional object whose values all have this type; *out, a reference, is replaced if present. */
int read_names(json_object *o, const struct js_at *at, const char *name, enum json_type type,
               json_object **out, struct hb_err *err);
/* An optional number from 0 to 100; *out keeps its value where it is absent. */
int read_ratio(json_object *o, const struct js_at *at, const char *name, double *out,
               struct hb_err *err);

#endif

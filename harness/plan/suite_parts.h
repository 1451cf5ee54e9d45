/* What suite.c and suite_choose.c share; nobody else includes this. */
#ifndef HPCBENCH_HARNESS_SUITE_PARTS_H
#define HPCBENCH_HARNESS_SUITE_PARTS_H

#include "harness/plan/suite.h"

/* Its defaults; info's own where it has them. */
void suite_entry_init(struct suite_entry *e, const struct bench_info *info);
/* HB_E_FORMAT with the place: a value outside its range, or nothing to measure. */
int suite_entry_check(const struct suite_entry *e, const struct js_at *at, struct hb_err *err);
void suite_entry_free(struct suite_entry *e);
/* The defaults; then what the suite's file says, if it does. */
void suite_disturbed_init(struct suite_disturbed *d);
int suite_disturbed_from_json(json_object *o, const struct js_at *top, struct suite_disturbed *out,
                              struct hb_err *err);
void suite_disturbed_to_json(const struct suite_disturbed *d, json_object *o);
/* HB_E_FORMAT: two cases of the suite would be one key. */
int suite_refuse_repeats(const struct suite *s, const char *source, struct hb_err *err);

#endif

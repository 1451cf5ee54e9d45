/* What the files that read and write plan.json share; only tests include it beside them. */
#ifndef HPCBENCH_HARNESS_PLAN_READ_H
#define HPCBENCH_HARNESS_PLAN_READ_H

#include "harness/plan/plan.h"

enum { PLAN_REPEAT_MAX = 1000 };

/* A job as it stands in the file, before it is checked against the rest of the plan. */
struct plan_raw {
	struct plan_job job; /* its cases, subject and partner are not set */
	uint64_t n_cases;
};

/* One array of jobs that was read from the text (plan_scan.c). */
struct plan_raws {
	struct plan_raw *v;
	size_t n, cap;
	bool used;
};

/* All of them: in the object that is read, one number, which of them, stands in place of each. */
struct plan_found {
	struct plan_raws *v;
	size_t n, cap;
};

/* Reading: the plan so far, and which units are taken. */
struct reader {
	struct plan *p;
	unsigned char *taken;     /* a bit a unit */
	struct plan_found *found; /* NULL: all jobs are in the object */
	struct hb_err *err;
};

struct indices {
	size_t *v, n;
};

/* Whole numbers in [0, limit), all different if distinct. */
int plan_read_indices(struct reader *r, json_object *o, const struct js_at *at, const char *key,
                      size_t limit, bool distinct, struct indices *out);
/* The array of a step's jobs into s, whose ranks are known. */
int plan_read_jobs(struct reader *r, json_object *jobs, const struct js_at *at,
                   struct plan_step *s);
/* "both", "ab", "ba" as a static text; NULL: it is none of them. */
const char *plan_dir_known(const char *text);
/* plan_from_json with jobs from found, or NULL. */
int plan_read_whole(json_object *o, const char *source, struct plan_found *found,
                    struct suite *suite, struct plan *out, struct hb_err *err);

/* From a text, in memory of the plan's size. Failing says nothing: plan_from_json decides then. */
int plan_scan(const struct buf *text, const char *source, struct suite *suite, struct plan *out);
/* The whole plan; without jobs their arrays are empty. */
json_object *plan_json_head(const struct plan *p, bool with_jobs);
/* Appends a job as one line of JSON, without a line's end. */
void plan_write_job(const struct plan_job *j, struct buf *out);

#endif

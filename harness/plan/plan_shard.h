/* Part I of N of a node set: what one task of a job array measures. */
#ifndef HPCBENCH_HARNESS_PLAN_SHARD_H
#define HPCBENCH_HARNESS_PLAN_SHARD_H

#include "harness/plan/nodeset.h"
#include "harness/plan/suite.h"

enum { PLAN_SHARDS_MAX = 4096 };

/*
 * "2/4", or "auto": from SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP and _COUNT. HB_E_USAGE unless
 * 1 <= *shard <= *shards <= PLAN_SHARDS_MAX.
 */
int plan_shard_parse(const char *text, int *shard, int *shards, struct hb_err *err);
/*
 * The shard's nodes of all, in their order: contiguous parts whose sizes differ by at most one.
 * HB_E_USAGE where a part would have fewer nodes than the suite needs (two for pairs and groups).
 */
int plan_shard_cut(const struct suite *suite, const struct nodeset *all, int shard, int shards,
                   struct nodeset *out, struct hb_err *err);

#endif

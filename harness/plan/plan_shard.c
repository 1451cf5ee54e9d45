#include "harness/plan/plan_shard.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

/* A whole number of at most nine digits at *p; false: none is there. */
static bool take_number(const char **p, long *out)
{
	size_t n = strspn(*p, "0123456789");

	if (n == 0 || n > 9)
		return false;
	*out = strtol(*p, NULL, 10);
	*p += n;
	return true;
}

static bool env_number(const char *name, long *out)
{
	const char *text = getenv(name);

	return text && take_number(&text, out) && !*text;
}

/* Slurm counts an array's tasks from wherever it was told to, in steps. */
static int from_array(int *shard, int *shards, struct hb_err *err)
{
	long id = 0, count = 0, min = 0, max = 0, step = 1;

	if (!env_number("SLURM_ARRAY_TASK_ID", &id) ||
	    !env_number("SLURM_ARRAY_TASK_COUNT", &count))
		return hb_fail(err, HB_E_USAGE,
		               "--shard auto: this is no task of a job array "
		               "(SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT are not set)");
	if (!env_number("SLURM_ARRAY_TASK_MIN", &min))
		min = id == 0 || count == id + 1 ? 0 : 1;
	if (!env_number("SLURM_ARRAY_TASK_STEP", &step) || step < 1)
		step = 1;
	if (!env_number("SLURM_ARRAY_TASK_MAX", &max))
		max = min + (count - 1) * step;
	if (count < 1 || count > PLAN_SHARDS_MAX || id < min || id > max || (id - min) % step ||
	    (max - min) / step + 1 != count)
		return hb_fail(err, HB_E_USAGE,
		               "--shard auto: task %ld of the array's %ld (%ld to %ld) has no "
		               "place in it; number the tasks without gaps, at most %d, or give "
		               "--shard I/N",
		               id, count, min, max, PLAN_SHARDS_MAX);
	*shard = (int)((id - min) / step) + 1;
	*shards = (int)count;
	return HB_OK;
}

int plan_shard_parse(const char *text, int *shard, int *shards, struct hb_err *err)
{
	const char *p = text;
	long i = 0, n = 0;

	if (strcmp(text, "auto") == 0)
		return from_array(shard, shards, err);
	bool whole = take_number(&p, &i) && *p++ == '/' && take_number(&p, &n) && !*p;
	if (!whole)
		return hb_fail(err, HB_E_USAGE,
		               "--shard '%.40s': I/N is wanted, as in 2/4, or auto in a job array",
		               text);
	if (i == 0 && n > 0)
		return hb_fail(err, HB_E_USAGE,
		               "--shard %.40s: parts are counted from 1; in a job array that "
		               "begins with 0 use --shard auto",
		               text);
	if (i < 1 || i > n || n > PLAN_SHARDS_MAX)
		return hb_fail(err, HB_E_USAGE, "--shard %.40s: 1 <= I <= N <= %d is wanted", text,
		               PLAN_SHARDS_MAX);
	*shard = (int)i;
	*shards = (int)n;
	return HB_OK;
}

int plan_shard_cut(const struct suite *suite, const struct nodeset *all, int shard, int shards,
                   struct nodeset *out, struct hb_err *err)
{
	size_t need = suite_nodes_min(suite), n = (size_t)shards, i = (size_t)shard;
	size_t from = all->n * (i - 1) / n, to = all->n * i / n;

	*out = (struct nodeset){ 0 };
	if (all->n / n < need) {
		size_t most = all->n / need;
		if (most < 2)
			return hb_fail(err, HB_E_USAGE,
			               "--shard %d/%d: %zu node%s cannot be divided, a part of "
			               "this suite needs at least %zu; leave --shard out",
			               shard, shards, all->n, all->n == 1 ? "" : "s", need);
		return hb_fail(err, HB_E_USAGE,
		               "--shard %d/%d: a part of this suite needs at least %zu node%s, "
		               "and there are %zu: at most %zu parts",
		               shard, shards, need, need == 1 ? "" : "s", all->n, most);
	}
	for (size_t k = from; k < to; k++) {
		hb_grow(&out->v, &out->cap, out->n + 1, sizeof(*out->v));
		out->v[out->n++] = hb_strdup(all->v[k]);
	}
	return HB_OK;
}

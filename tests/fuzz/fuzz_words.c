/* Words of the command line that have a grammar of their own. */
#include <math.h>

#include "harness/launch/launch.h"
#include "harness/measure/measure.h"
#include "harness/plan/plan_shard.h"
#include "harness/slurm/slurm.h"
#include "harness/store/store.h"
#include "tests/fuzz/fuzz.h"

static void check_inject(const char *text)
{
	struct hb_err err = { HB_OK, "" };
	struct measure_inject in;

	if (!fuzz_ok(measure_inject_parse(text, &in, &err), &err))
		return;
	FUZZ_CHECK(in.bench && in.factor > 1 && in.factor <= 10 && strcmp(in.spec, text) == 0);
	measure_inject_free(&in);
}

static void check_launcher(const char *text)
{
	struct hb_err err = { HB_OK, "" };
	const struct launcher_ops *ops = NULL;
	const char *arg = NULL;

	if (fuzz_ok(launcher_find(text, &ops, &arg, &err), &err))
		FUZZ_CHECK(ops != NULL && (ops->arg || !arg));
}

static void check_options(const char *text)
{
	static const char *const refused[] = { "nodes", "nodelist", "no-shell", NULL };
	const char *const opts[] = { "partition=x", text };
	struct hb_err err = { HB_OK, "" };

	if (!fuzz_ok(slurm_opts_check("--alloc", opts, 2, refused, &err), &err))
		return;
	/* Any encoding, but nothing that drives a terminal or breaks a line. */
	for (const char *c = text; *c; c++)
		FUZZ_CHECK((unsigned char)*c >= ' ' && *c != 0x7f);
}

static void check_shard(const char *text)
{
	struct hb_err err = { HB_OK, "" };
	struct nodeset all = { 0 }, part = { 0 };
	struct suite s = { 0 };
	int shard = 0, shards = 0;

	if (!fuzz_ok(plan_shard_parse(text, &shard, &shards, &err), &err))
		return;
	FUZZ_CHECK(shard >= 1 && shard <= shards && shards <= PLAN_SHARDS_MAX);
	FUZZ_CHECK(nodeset_parse("n[1-9]", &all, &err) == HB_OK);
	FUZZ_CHECK(suite_of_benches("node.memory", &s, &err) == HB_OK);
	if (fuzz_ok(plan_shard_cut(&s, &all, shard, shards, &part, &err), &err))
		FUZZ_CHECK(part.n >= 1 && part.n <= all.n);
	nodeset_free(&part);
	nodeset_free(&all);
	suite_free(&s);
}

static void check_suite(const char *text)
{
	struct hb_err err = { HB_OK, "" };
	struct suite s = { 0 };

	if (fuzz_ok(suite_of_benches(text, &s, &err), &err)) {
		FUZZ_CHECK(s.n_entries > 0);
		suite_free(&s);
	}
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	char *text = fuzz_text(data, size);

	check_inject(text);
	check_launcher(text);
	check_options(text);
	check_suite(text);
	check_shard(text);
	if (fuzz_ok(store_check_name("name", text, &err), &err))
		FUZZ_CHECK(*text != '.' && !strchr(text, '/'));
	free(text);
}

/* Words of the command line that have a grammar of their own. */
#include <math.h>

#include "harness/launch/launch.h"
#include "harness/measure/measure.h"
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
	if (fuzz_ok(store_check_name("name", text, &err), &err))
		FUZZ_CHECK(*text != '.' && !strchr(text, '/'));
	free(text);
}

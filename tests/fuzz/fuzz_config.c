/*
 * Configuration files: what is taken gives every command its values, which can be written and read
 * like words of the command line.
 */
#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/config/config.h"
#include "tests/fuzz/fuzz.h"

static void check_profiles(const struct config *c)
{
	const struct profile **all = config_profiles(c);

	for (size_t i = 0; all[i]; i++) {
		FUZZ_CHECK(all[i]->name[0] && !strchr(all[i]->name, '/'));
		FUZZ_CHECK(config_profile(c, all[i]->name) == all[i]);
		FUZZ_CHECK(config_profile_source(c, all[i]));
		js_put(profile_to_json(all[i]));
		for (size_t k = 0; k < all[i]->n_env; k++)
			FUZZ_CHECK(strchr(all[i]->env[k], '='));
	}
	free(all);
}

static void check_command(const struct config *c, const struct command *command)
{
	const struct config_use use = { .partition = "gpu" };
	struct hb_err err = { HB_OK, "" };
	size_t own_at = sizeof(struct common) + sizeof(void *);
	struct opt *opts = cmd_merge_opts(command->opts, own_at, NULL);
	void *values = hb_alloc(own_at + command->opts_size + 1);

	opt_defaults(opts, values);
	fuzz_ok(config_apply(c, command->name, opts, &use, values, NULL, &err), &err);
	config_settle(opts, values);
	js_put(opt_to_json(opts, values, 0));
	opt_free(opts, values);
	free(opts);
	free(values);
}

void fuzz_one(const char *data, size_t size)
{
	struct config_table *tables = cmd_tables();
	struct hb_err err = { HB_OK, "" };
	struct config_layer layer = { 0 };
	struct config c = { &layer, 1, NULL };

	if (fuzz_ok(config_parse(data, size, "input", tables, &layer, &err), &err)) {
		check_profiles(&c);
		for (size_t i = 0; commands[i]; i++)
			check_command(&c, commands[i]);
		config_has_partition(&c, "gpu");
		config_layer_free(&layer);
	}
	free(tables);
}

#include "harness/cmd/cmd.h"

static int run(const struct common *common, const void *opts, int argc, const char **argv)
{
	(void)opts;
	if (argc > 0)
		return cmd_error_text("version", CODE_USAGE, "takes no arguments, not \"%s\"",
		                      argv[0]);
	struct doc *d = doc_new("hpcbench " HPCBENCH_VERSION);
	d->data = cmd_json("version");
	js_set_str(d->data, "version", HPCBENCH_VERSION);
	js_set_str(d->data, "json_c", json_c_version());
	if (common->verbose)
		doc_fact(d, "json-c", "%s", json_c_version());
	int rc = cmd_print(common, d);
	doc_free(d);
	return rc == HB_OK ? CODE_OK : CODE_BROKEN;
}

const struct command cmd_version = {
	.name = "version",
	.usage = "",
	.summary = "print the version",
	.plain = true,
	.run = run,
};

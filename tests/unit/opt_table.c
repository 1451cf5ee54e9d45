#include "opt_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/base/mem.h"

const struct opt_choice opt_syncs[] = {
	{ "barrier", SYNC_A, 0, "slowest local duration" },
	{ "roundtime", SYNC_B, 0, "last exit less first entry" },
	{ NULL, 0, 0, NULL },
};
static const struct opt_choice types[] = {
	{ "byte", 0, 0, NULL },
	{ "float", 5, 0, NULL },
	{ "float16", 9, OPT_REFUSED, NULL },
	{ NULL, 0, 0, NULL },
};
static const struct opt_choice ops[] = {
	{ "copy", 0, 0, NULL },
	{ "scale", 1, 0, NULL },
	{ "add", 2, 0, NULL },
	{ "triad", 62, 0, NULL },
	{ "gather", 3, OPT_REFUSED, NULL },
	{ NULL, 0, 0, NULL },
};

#define AT(member) offsetof(struct opt_values, member)

const struct opt opt_table[] = {
	{ OPT_GROUP, 0, NULL, NULL, "Measuring", NULL, 0, 0, 0, NULL, 0 },
	{ OPT_FLAG, 'q', "quiet", NULL, "say less", NULL, AT(quiet), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "confirm", NULL, "confirm what looks slow", "1", AT(confirm), 0, 0, NULL,
	  OPT_KEY },
	{ OPT_INT, 'w', "window", "N", "messages in flight", "64", AT(window), 1, 4096, NULL,
	  OPT_KEY },
	{ OPT_INT, 0, "delta", "N", "any whole number", "-7", AT(delta), 0, 0, NULL, 0 },
	{ OPT_ENUM, 's', "sync", "HOW", "how a collective is timed", "barrier", AT(sync), 0, 0,
	  opt_syncs, OPT_KEY },
	{ OPT_ENUM, 0, "datatype", "TYPE", "element type", "byte", AT(type), 0, 0, types, OPT_KEY },
	{ OPT_U64, 0, "seed", "N", "seed of the plan", "1", AT(seed), 0, 0, NULL, 0 },
	{ OPT_BYTES, 0, "buffer", "SIZE", "size of a buffer", "64Ki", AT(bytes), 1, 1 << 30, NULL,
	  OPT_KEY },
	{ OPT_SET, 0, "ops", "LIST", "operations", "all", AT(ops), 0, 0, ops, OPT_KEY | OPT_AXIS },
	{ OPT_GROUP, 0, NULL, NULL, "Stopping", NULL, 0, 0, 0, NULL, 0 },
	{ OPT_SECONDS, 't', "max-time", "TIME", "longest measurement of one case", "1s",
	  AT(max_time), 0.001, 3600, NULL, 0 },
	{ OPT_RATIO, 'p', "precision", "SHARE", "relative interval to reach", "1%", AT(precision),
	  0.0001, 0.5, NULL, 0 },
	{ OPT_RATIO, 0, "limit", "SHARE", "no limits of its own", NULL, AT(limit), 0, 0, NULL,
	  OPT_KEY },
	{ OPT_STRING, 'l', "label", "TEXT", "a name for the run", NULL, AT(label), 0, 0, NULL, 0 },
	{ OPT_SIZES, 0, "sizes", "RANGE", "message sizes", "8..1Mi", AT(sizes), 0, 0, NULL,
	  OPT_KEY },
	{ OPT_STRINGS, 'b', "bench", "NAME", "benchmarks to run", NULL, AT(bench), 0, 0, NULL, 0 },
	{ OPT_FLAG, 0, "secret", NULL, "not shown", NULL, AT(hidden), 0, 0, NULL,
	  OPT_HIDDEN | OPT_KEY },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

void opt_table_start(struct opt_values *v)
{
	memset(v, 0, sizeof(*v));
	opt_defaults(opt_table, v);
}

int opt_table_parse(struct opt_values *v, const char *text, int *unknown, struct buf *left,
                    struct hb_err *err)
{
	char *copy = hb_strdup(text);
	const char *argv[40] = { "prog" };
	int argc = 1;
	for (char *p = copy, *end; *p && argc < 39; p = end) {
		end = p + strcspn(p, " ");
		if (*end)
			*end++ = '\0';
		argv[argc++] = p;
	}
	int before = argc;
	int rc = opt_parse(opt_table, v, &argc, argv, unknown, err);
	assert_true(argc >= 1 && argc <= before);
	assert_string_equal(argv[0], "prog");
	assert_null(argv[argc]);
	for (int i = 1; left && i < argc; i++)
		buf_printf(left, "%s%s", i > 1 ? " " : "", argv[i]);
	free(copy);
	return rc;
}

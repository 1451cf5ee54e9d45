/* --inject: a slowdown that is planted on purpose. */
#include "bench/base/mem.h"
#include "harness/measure/measure.h"

int measure_inject_parse(const char *text, struct measure_inject *out, struct hb_err *err)
{
	const char *colon = strrchr(text, ':'), *at = colon ? strchr(colon, '@') : NULL;
	char number[32] = "";
	size_t len = colon ? (at ? (size_t)(at - colon) : strlen(colon)) - 1 : 0;

	*out = (struct measure_inject){ 0 };
	if (!colon || colon == text || len == 0 || len >= sizeof number || (at && !at[1]))
		return hb_fail(err, HB_E_USAGE,
		               "--inject '%.64s': BENCH:FACTOR[@NODE] is wanted, as in "
		               "mpi.latency:1.5@n3",
		               text);
	snprintf(number, sizeof number, "%.*s", (int)len, colon + 1);
	if (units_parse_number(number, &out->factor, NULL) != HB_OK || !(out->factor > 1) ||
	    out->factor > 10)
		return hb_fail(err, HB_E_USAGE,
		               "--inject: factor '%s' must be above 1 and at most 10", number);
	out->bench = hb_strndup(text, (size_t)(colon - text));
	if (strcmp(out->bench, "*") != 0 && !catalog_find(out->bench)) {
		const char *near = catalog_nearest(out->bench);
		hb_fail(err, HB_E_USAGE, "--inject: no benchmark '%.64s'%s%s%s", out->bench,
		        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
		measure_inject_free(out);
		return HB_E_USAGE;
	}
	out->node = at ? hb_strdup(at + 1) : NULL;
	out->spec = hb_strdup(text);
	return HB_OK;
}

void measure_inject_free(struct measure_inject *i)
{
	free(i->spec);
	free(i->bench);
	free(i->node);
	*i = (struct measure_inject){ 0 };
}

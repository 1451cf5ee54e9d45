/* Host files and what mpirun says: hosts that are taken are a node set, words can be shown. */
#include "harness/launch/launch_mpirun.h"
#include "tests/fuzz/fuzz.h"

static void check_hosts(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct nodeset hosts = { 0 }, again = { 0 };
	struct buf text = BUF_INIT;

	if (fuzz_ok(mpirun_hosts_parse(data, size, "input", &hosts, &err), &err)) {
		FUZZ_CHECK(hosts.n > 0 && hosts.n <= NODESET_MAX);
		nodeset_format(&hosts, &text);
		FUZZ_CHECK(nodeset_parse(buf_text(&text), &again, &err) == HB_OK);
		FUZZ_CHECK(again.n == hosts.n);
	}
	nodeset_free(&hosts);
	nodeset_free(&again);
	buf_free(&text);
}

void fuzz_one(const char *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct launch_cause cause = { 0 };

	check_hosts(data, size);
	mpirun_flavour_of(text);
	mpirun_explain(text, &cause);
	fuzz_check_clean(cause.text, strnlen(cause.text, sizeof(cause.text)), false);
	fuzz_check_clean(cause.node, strnlen(cause.node, sizeof(cause.node)), false);
	free(text);
}

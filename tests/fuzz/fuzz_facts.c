/* facts.json: what is taken is written so that it reads back equal, and can be asked. */
#include "harness/facts/facts.h"
#include "harness/facts/host_checks.h"
#include "tests/fuzz/fuzz.h"

enum { ASKED_MAX = 64 };

/* Everything that rules and reports ask. */
static void ask(const struct facts *f)
{
	struct fact_peers_say peers;
	struct host_checks checks;
	struct drift drift;
	struct wire wire;

	for (size_t node = 0; node < f->n_nodes && node < ASKED_MAX; node++) {
		if (wire_of(f, node, &wire))
			FUZZ_CHECK(wire.n <= sizeof wire.v / sizeof *wire.v);
		for (size_t i = 0; i < f->n_rows && i < ASKED_MAX; i++) {
			facts_peers(f, &f->rows[i], node, &peers);
			FUZZ_CHECK(peers.n <= peers.of && peers.of <= f->n_nodes);
		}
	}
	drift_make(f, f, &drift);
	for (size_t i = 0; i < drift.n; i++)
		FUZZ_CHECK(drift.v[i].n > 0 && drift.v[i].nodes[0] < f->n_nodes);
	drift_free(&drift);
	host_checks_make(f, &checks);
	(void)host_checks_error(&checks);
	host_checks_free(&checks);
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct facts f, again;
	json_object *o = fuzz_object(data, size), *written;

	if (!o)
		return;
	if (fuzz_ok(facts_from_json(o, "input", &f, &err), &err)) {
		ask(&f);
		written = facts_to_json(&f, FACTS_ALL);
		if (facts_from_json(written, "written", &again, &err) != HB_OK)
			fuzz_broken("facts", 0, err.text);
		fuzz_check_same(facts_to_json(&again, FACTS_ALL), written);
		facts_free(&again);
		written = facts_to_json(&f, FACTS_AGREE);
		if (facts_from_json(written, "agreed", &again, &err) != HB_OK)
			fuzz_broken("facts agreed", 0, err.text);
		js_put(written);
		facts_free(&again);
		facts_free(&f);
	}
	js_put(o);
}

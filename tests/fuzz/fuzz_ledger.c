/*
 * The coverage ledger. A file that is wrong costs nothing but what it knew: a run can always be
 * added, and is there afterwards.
 */
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/ledger.h"
#include "tests/fuzz/fuzz.h"

static const char now[] = "2026-11-30T07:56:20Z";

static void look(const struct ledger *l, const char *cluster)
{
	json_object *nodes = ledger_nodes(l, cluster);

	if (!nodes)
		return;
	json_object_object_foreach(nodes, name, node)
	{
		struct ledger_turn turn = ledger_turn(nodes, name, "quick");
		(void)node;
		ledger_hw(nodes, name);
		FUZZ_CHECK(ledger_had(&turn) != NULL);
	}
}

static void add_run(const struct store *s)
{
	const struct ledger_entry nodes[] = { { "n1", "2x CPU", true }, { "n2", NULL, false } };
	const struct ledger_note note = { "bed", "quick", "20261130-075620-3b2c", now, nodes, 2 };
	struct hb_err err = { HB_OK, "" };
	struct ledger l;
	struct ledger_turn turn;
	char *aside = NULL;

	FUZZ_CHECK(fuzz_ok(ledger_update(s, &note, &aside, &err), &err));
	ledger_read(s, &l);
	FUZZ_CHECK(!l.warning);
	turn = ledger_turn(ledger_nodes(&l, "bed"), "n1", "quick");
	FUZZ_CHECK(strcmp(turn.last, now) >= 0);
	ledger_free(&l);
	if (aside)
		unlink(aside);
	free(aside);
}

void fuzz_one(const char *data, size_t size)
{
	struct store s = { .path = hb_strdup(fuzz_folder()) };
	struct ledger l;

	fuzz_put_file("coverage.json", data, size);
	ledger_read(&s, &l);
	look(&l, "bed");
	ledger_free(&l);
	add_run(&s);
	free(s.path);
}

/*
 * Rule files, and causes read back: what is taken can be told in words and asked of a small scene,
 * each cause has its evidence, and what is written reads back equal. Parts: rules, findings.json.
 */
#include <math.h>

#include "harness/diagnose/diagnose.h"
#include "tests/fuzz/fuzz.h"

enum { NODES = 4 };

static const char *const values[] = { "1500", "9000", "9000", "9000" };
static const char *const own[] = { "10.0.0.1/24", "10.0.0.2/24,10.0.0.1/24", "x", "none" };

/* Every row of the catalog on a device of its kind, one node apart from the others. */
static void make_facts(struct facts *f)
{
	static const char *const devices[] = { "",         "eth0",       "mlx5_0:1", "gpu0",
		                               "fs:/home", "lib:a.so.1", "peer:n2" };
	char name[8];

	facts_init(f);
	for (size_t i = 0; i < NODES; i++) {
		snprintf(name, sizeof name, "n%zu", i + 1);
		facts_add_node(f, name, "A");
		f->counted_s[i] = 10;
		for (const struct fact_info *k = fact_catalog; k->key; k++) {
			const char *value = k->peers == FACT_OWN    ? own[i]
			                    : k->type == FACT_YESNO ? (i ? "no" : "yes")
			                                            : values[i];
			facts_add(f, i, devices[k->about], k->key, i == 3 ? NULL : value, "/sys");
		}
		facts_add_counter(f, i, "eth0", "rx_bytes", 1000000 + i);
		facts_add_counter(f, i, "eth0", "rx_errors", i * 100);
		facts_add_counter(f, i, "", "tcp.retrans_segs", i);
	}
	facts_sort(f);
}

static void check_words(const struct rules *r)
{
	struct buf words = BUF_INIT;

	for (size_t i = 0; i < r->n; i++) {
		FUZZ_CHECK(rules_find(r, r->v[i].id) == &r->v[i]);
		(void)rules_nearest(r, r->v[i].id);
		for (size_t k = 0; rule_words(&r->v[i], true, k, &words); k++)
			FUZZ_CHECK(words.len > 0);
		for (size_t k = 0; rule_words(&r->v[i], false, k, &words); k++)
			FUZZ_CHECK(words.len > 0);
	}
	fuzz_check_clean(buf_text(&words), words.len, true);
	buf_free(&words);
}

static void check_again(const struct diagnosis *d, struct json_object *file)
{
	struct hb_err err = { HB_OK, "" };
	struct diagnosis again;
	json_object *a = json_object_new_object(), *b = json_object_new_object(), *list = NULL;

	if (json_object_object_get_ex(file, "findings", &list))
		js_set_obj(a, "findings", json_object_get(list));
	diagnosis_to_json(d, a);
	if (diagnosis_from_json(a, "written", &again, &err) != HB_OK)
		fuzz_broken("causes", 0, err.text);
	if (list)
		js_set_obj(b, "findings", json_object_get(list));
	diagnosis_to_json(&again, b);
	fuzz_check_same(b, json_object_get(a));
	diagnosis_free(&again);
	js_put(a);
}

static void check_scene(const struct rules *r)
{
	struct facts f;
	struct scene_figure figures[] = { { "n1", "mpi.latency", "", 8, 0.01, 1 },
		                          { "n1", "mpi.bandwidth", "", 1 << 20, 0.4, 3 },
		                          { "n2", "mpi.bandwidth", "", 1 << 20, NAN, NAN } };
	char node[] = "n1", code[] = "world-size", text[] = "1 of 2";
	struct scene_event events[] = { { node, code, text } };
	struct scene s = { .facts = &f,
		           .base_facts = &f,
		           .figures = figures,
		           .n_figures = 3,
		           .events = events,
		           .n_events = 1 };
	struct diagnosis d;
	json_object *none = json_object_new_object();

	make_facts(&f);
	diagnose_make(&s, r, &d);
	for (size_t i = 0; i < d.n; i++) {
		FUZZ_CHECK(d.v[i].n_evidence > 0);
		for (size_t k = 0; k < d.v[i].n_evidence; k++)
			FUZZ_CHECK(d.v[i].evidence[k][0] != '\0');
	}
	(void)diagnosis_code(&d);
	check_again(&d, none);
	js_put(none);
	diagnosis_free(&d);
	facts_free(&f);
}

void fuzz_one(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	struct rules r = { 0 };
	struct diagnosis d;
	struct fuzz_part rules = fuzz_next_part(&data, &size);
	struct fuzz_part causes = fuzz_next_part(&data, &size);
	json_object *o = fuzz_object(rules.text, rules.len);
	json_object *found = fuzz_object(causes.text, causes.len);

	if (o && fuzz_ok(rules_from_json(o, "input", "2026-06-01", &r, &err), &err)) {
		check_words(&r);
		check_scene(&r);
	}
	if (found && fuzz_ok(diagnosis_from_json(found, "input", &d, &err), &err)) {
		check_again(&d, found);
		diagnosis_free(&d);
	}
	rules_free(&r);
	js_put(o);
	js_put(found);
}

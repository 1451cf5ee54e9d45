#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "tests/unit/rows.h"

static int read_text(const char *text, struct summary *s, struct hb_err *err)
{
	json_object *o = NULL;
	int rc;

	assert_int_equal(js_parse(text, strlen(text), "test", &o, err), HB_OK);
	rc = summary_from_json(o, "summary.json", s, err);
	js_put(o);
	return rc;
}

static void make_rich(struct summary *s)
{
	struct summary_row *r;
	struct summary_pair *p;

	rows_site(s, "run-1", 1, 0.01, 1.0);
	s->suite = hb_strdup("pairs");
	s->label = hb_strdup("night");
	s->started = hb_strdup("2026-01-02T03:04:05Z");
	s->partial = s->named = true;
	s->unknown_records = 3;
	json_object_object_add(s->fingerprint, "mpi", json_object_new_array());
	r = rows_add(s, "x.a", 8, "cluster", 5.0);
	r->kind = SUBJECT_CLUSTER;
	r->pairs = 7;
	r->worst_partner = hb_strdup("n9");
	r->lo = 4.0;
	r->hi = 6.0;
	r->p95 = 7.0;
	r->p99 = 8.0;
	r->spread = 0.125;
	r->tolerance = 0.25;
	r = rows_add(s, "x.a", 16, "n1", NAN);
	r->quality = ROW_NOT_MEASURED;
	r->reason = hb_strdup("its rank never answered");
	rows_partner(rows_add_confirm(s, PHASE_CONFIRM, 1, "x.a", 8, "n1", 3.0), "n2");
	rows_partner(rows_add_confirm(s, PHASE_CONTROL, 1, "x.a", 8, "n2", 4.0), "n1");
	rows_loss(s, "n9", NULL, "dead");
	hb_grow(&s->worst, &s->cap_worst, 1, sizeof(*s->worst));
	p = &s->worst[s->n_worst++];
	memset(p, 0, sizeof(*p));
	key_copy(&s->rows[0].key, &p->key);
	p->a = hb_strdup("n1");
	p->b = hb_strdup("n2");
	p->dir = hb_strdup("both");
	p->value = 2.5;
	p->ratio = 0.5;
}

static void summary_reads_back_as_it_was_written(void **state)
{
	struct summary s, again;
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct hb_err err = { 0 };
	json_object *o;

	(void)state;
	make_rich(&s);
	o = summary_to_json(&s);
	js_write(o, JS_SORTED, &a);
	js_put(o);
	assert_int_equal(read_text(buf_text(&a), &again, &err), HB_OK);
	o = summary_to_json(&again);
	js_write(o, JS_SORTED, &b);
	js_put(o);
	assert_string_equal(buf_text(&a), buf_text(&b));
	assert_true(again.named && again.partial);
	assert_int_equal(again.n_rows, s.n_rows);
	for (size_t i = 0; i < s.n_rows; i++) {
		const struct summary_row *x = &s.rows[i], *y = &again.rows[i];

		assert_string_equal(x->key.text, y->key.text);
		assert_string_equal(x->subject, y->subject);
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->quality, y->quality);
		assert_memory_equal(&x->floor, &y->floor, sizeof(x->floor));
		assert_memory_equal(&x->tolerance, &y->tolerance, sizeof(x->tolerance));
		assert_true(isnan(x->value) ? isnan(y->value)
		                            : !(x->value < y->value || x->value > y->value));
	}
	assert_int_equal(again.confirm[1].phase, PHASE_CONTROL);
	assert_int_equal(again.confirm[1].repeat, 1);
	assert_string_equal(again.confirm[1].partner, "n1");
	assert_int_equal(again.losses[0].status, UNIT_TIMEOUT);
	assert_string_equal(again.worst[0].dir, "both");
	buf_free(&a);
	buf_free(&b);
	summary_free(&s);
	summary_free(&again);
}

static void summary_survives_the_way_through_a_folder(void **state)
{
	char dir[] = "/tmp/hpcbench-summary-XXXXXX", *path;
	struct summary s, again;
	struct hb_err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	make_rich(&s);
	assert_int_equal(summary_write(dir, &s, &err), HB_OK);
	assert_int_equal(summary_read(dir, &again, &err), HB_OK);
	assert_int_equal(again.n_rows, s.n_rows);
	summary_free(&again);
	path = hb_format("%s/summary.json", dir);
	unlink(path);
	assert_true(summary_read(dir, &again, &err) < 0);
	assert_non_null(strstr(err.text, path));
	free(path);
	rmdir(dir);
	summary_free(&s);
}

#define KEY                                                                                        \
	"\"key\":{\"bench\":\"a\",\"metric\":\"m\",\"class\":\"c\",\"hw\":\"h\",\"opts\":{},"      \
	"\"bytes\":1,\"nodes\":1,\"rpn\":1}"

static void hostile_summary_is_one_clear_error(void **state)
{
	static const struct {
		const char *text, *place;
	} bad[] = {
		{ "[]", "summary.json" },
		{ "{}", "$.schema" },
		{ "{\"schema\":2,\"run\":\"r\",\"rows\":[]}", "$.schema" },
		{ "{\"schema\":1,\"rows\":[]}", "$.run" },
		{ "{\"schema\":1,\"run\":\"\",\"rows\":[]}", "$.run" },
		{ "{\"schema\":1,\"run\":\"r\"}", "$.rows" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":{}}", "$.rows" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[7]}", "$.rows[0]" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{\"rows\":[]}]}", "$.rows[0].key" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{" KEY "}]}", "$.rows[0].rows" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{" KEY ",\"unit\":\"s\",\"rows\":[]}]}",
		  "$.rows[0].unit" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{" KEY ",\"better\":1,\"rows\":[]}]}",
		  "$.rows[0].better" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{" KEY ",\"tolerance\":-1,\"rows\":[]}]}",
		  "$.rows[0].tolerance" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{" KEY ",\"floor\":-1,\"rows\":[]}]}",
		  "$.rows[0].floor" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{" KEY ",\"rows\":[null]}]}",
		  "$.rows[0].rows[0]" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{" KEY
		  ",\"rows\":[{\"subject\":\"n\"}]}]}",
		  "$.rows[0].rows[0].value" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{" KEY
		  ",\"rows\":[{\"subject\":\"n\",\"value\":0}]}]}",
		  "$.rows[0].rows[0].value" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[{" KEY
		  ",\"rows\":[{\"subject\":\"n\",\"value\":1,\"quality\":\"fine\"}]}]}",
		  "$.rows[0].rows[0].quality" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[],\"confirm\":[{" KEY
		  ",\"rows\":[{\"subject\":\"n\",\"value\":1,\"repeat\":-1}]}]}",
		  "$.confirm[0].rows[0].repeat" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[],\"losses\":[{\"subject\":\"n\","
		  "\"status\":\"gone\"}]}",
		  "$.losses[0].status" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[],\"worst\":[{" KEY ",\"a\":\"n1\"}]}",
		  "$.worst[0].b" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[],\"hw\":{\"n1\":7}}", "$.hw.n1" },
		{ "{\"schema\":1,\"run\":\"r\",\"rows\":[],\"fingerprint\":{\"mpi\":\"x\"}}",
		  "$.fingerprint.mpi" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct summary s;
		struct hb_err err = { 0 };

		assert_int_equal(read_text(bad[i].text, &s, &err), HB_E_FORMAT);
		if (!strstr(err.text, bad[i].place))
			fail_msg("'%s' does not name %s", err.text, bad[i].place);
	}
}

static void members_that_a_later_version_adds_are_ignored(void **state)
{
	struct summary s;
	struct hb_err err = { 0 };

	(void)state;
	assert_int_equal(read_text("{\"schema\":1,\"run\":\"r\",\"new\":[1],\"rows\":[{" KEY
	                           ",\"new\":1,\"rows\":[{\"subject\":\"n\",\"value\":2,"
	                           "\"new\":{}}]}]}",
	                           &s, &err),
	                 HB_OK);
	assert_int_equal(s.n_rows, 1);
	assert_true(s.rows[0].judged);
	summary_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary_reads_back_as_it_was_written),
		cmocka_unit_test(summary_survives_the_way_through_a_folder),
		cmocka_unit_test(hostile_summary_is_one_clear_error),
		cmocka_unit_test(members_that_a_later_version_adds_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

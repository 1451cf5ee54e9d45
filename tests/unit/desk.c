#include "desk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "bench/base/mem.h"

static const char suite_text[] = "{\"schema\":1,\"name\":\"test\",\"benches\":["
                                 "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8\"}}]}";

void must(int rc, const struct hb_err *err)
{
	if (rc != HB_OK)
		fail_msg("%s", err->text);
}

struct desk *desk_open(const char *suite, const char *nodes)
{
	struct desk *d = hb_alloc(sizeof *d);
	struct plan_params p = { .seed = 5, .rounds = 3 };
	struct nodeset set = { 0 };
	json_object *o = NULL;

	snprintf(d->dir, sizeof d->dir, "/tmp/hpcbench-test-XXXXXX");
	assert_non_null(mkdtemp(d->dir));
	must(js_parse(suite, strlen(suite), "test", &o, &d->err), &d->err);
	must(suite_from_json(o, "test", &d->suite, &d->err), &d->err);
	js_put(o);
	must(nodeset_parse(nodes, &set, &d->err), &d->err);
	must(plan_make(&d->suite, &set, "test", &p, &d->plan, &d->err), &d->err);
	nodeset_free(&set);
	d->l.p.plan = &d->plan;
	d->l.p.site = &d->site;
	must(launch_log_open(&d->l.log, d->dir, &d->err), &d->err);
	step_run_init(&d->r, &d->l, 0);
	return d;
}

struct desk *desk_new(const char *nodes)
{
	struct desk *d = desk_open(suite_text, nodes);

	d->r.attempt = 2;
	for (int i = 0; i < d->r.step->n_ranks; i++)
		sched_joined(&d->r.s, i);
	return d;
}

int say(struct desk *d, int rank, const char *text)
{
	json_object *o = NULL;
	int rc;

	must(js_parse(text, strlen(text), "test", &o, &d->err), &d->err);
	rc = step_on_message(&d->r, rank, o, strlen(text), &d->err);
	js_put(o);
	return rc;
}

char *desk_end(struct desk *d)
{
	static const char *const names[] = { "samples.jsonl", "journal.jsonl", "records.jsonl" };
	struct buf records = BUF_INIT;
	char path[128];

	must(launch_log_close(&d->l.log, &d->err), &d->err);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", d->dir, names[i]);
		buf_clear(&records);
		must(buf_read_file(&records, path, 1 << 20, &d->err), &d->err);
		unlink(path);
	}
	rmdir(d->dir);
	step_run_free(&d->r);
	free(d->l.where);
	free(d->l.told);
	plan_free(&d->plan);
	suite_free(&d->suite);
	free(d);
	return buf_detach(&records);
}

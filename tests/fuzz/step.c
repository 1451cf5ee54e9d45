#include "tests/fuzz/step.h"

#include "tests/fuzz/fuzz.h"

static const char suite_text[] = "{\"schema\":1,\"name\":\"test\",\"benches\":["
                                 "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8,64\"}},"
                                 "{\"bench\":\"mpi.allreduce\",\"options\":{\"sizes\":\"8\"}}]}";

static const struct launcher_ops nowhere = { .name = "nowhere", .summary = "", .slack_ms = 1000 };

void fuzz_step_open(struct fuzz_step *s)
{
	const struct plan_params params = { .seed = 5, .rounds = 3 };
	struct hb_err err = { HB_OK, "" };
	struct nodeset nodes = { 0 };
	json_object *o = NULL;

	*s = (struct fuzz_step){ .site = { .ops = &nowhere } };
	FUZZ_CHECK(js_parse(suite_text, strlen(suite_text), "suite", &o, &err) == HB_OK);
	FUZZ_CHECK(suite_from_json(o, "suite", &s->suite, &err) == HB_OK);
	js_put(o);
	FUZZ_CHECK(nodeset_parse("n[1-4]", &nodes, &err) == HB_OK);
	FUZZ_CHECK(plan_make(&s->suite, &nodes, "test", &params, &s->plan, &err) == HB_OK);
	nodeset_free(&nodes);
	s->l.p.run = "test-run";
	s->l.p.dir = fuzz_folder();
	s->l.p.plan = &s->plan;
	s->l.p.site = &s->site;
	/* What is logged stays in memory: a disk would be all that is measured here. */
	launch_log_use(&s->l.log, NULL);
	step_run_init(&s->r, &s->l, 0);
	s->r.attempt = 1;
}

void fuzz_step_close(struct fuzz_step *s)
{
	struct launch_log *log = &s->l.log;

	for (size_t i = 0; i < log->n; i++)
		js_put(log->queue[i].o);
	FUZZ_CHECK(launch_log_close(log, NULL) == HB_OK);
	step_run_free(&s->r);
	free(s->l.where);
	free(s->l.told);
	plan_free(&s->plan);
	suite_free(&s->suite);
}

void fuzz_step_start_jobs(struct fuzz_step *s)
{
	size_t jobs[8], n = sched_next(&s->r.s, jobs, sizeof(jobs) / sizeof(*jobs));

	for (size_t i = 0; i < n; i++)
		step_announce_job(&s->r, jobs[i]);
}

void fuzz_step_put_plan(const char *name)
{
	struct buf text = BUF_INIT;
	struct fuzz_step s;
	json_object *o;

	fuzz_step_open(&s);
	o = plan_to_json(&s.plan);
	js_write(o, JS_PLAIN, &text);
	fuzz_put_file(name, text.data, text.len);
	js_put(o);
	buf_free(&text);
	fuzz_step_close(&s);
}

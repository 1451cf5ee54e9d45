/*
 * bench-make-run DIR NODES ROUNDS [SUITE]: fills DIR with a run as the harness would leave it: a
 * plan of pairs over NODES nodes (rounds 0: all pairs) and a record for every unit of it, with
 * figures from a seeded model. For measuring collect, check and diff (scripts/bench-harness,
 * scripts/bench-scale). Without a suite file it has 25 figures a pair: 400 nodes and 20 rounds give
 * 100,000 records.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/base/rng.h"
#include "harness/collect/collect.h"
#include "harness/store/store.h"

static const char suite_text[] =
        "{\"schema\":1,\"name\":\"made\",\"summary\":\"pairs, made\",\"rounds\":5,\"benches\":["
        "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8..64Ki:x4,512,128Ki\"}},"
        "{\"bench\":\"mpi.bandwidth\",\"options\":{\"sizes\":\"64Ki..8Mi\"}}]}";

static struct stat_summary spread_out(struct rng *rng, double middle, bool lower_is_slow)
{
	struct stat_summary s = { .n = 1000 + rng_below(rng, 9000) };
	double slow = lower_is_slow ? -1 : 1;
	s.p50 = middle;
	s.lo = middle * (1 - 0.001 * rng_uniform(rng));
	s.hi = middle * (1 + 0.001 * rng_uniform(rng));
	s.min = middle * (1 - 0.05 - 0.05 * rng_uniform(rng));
	s.max = middle * (1 + 0.5 + rng_uniform(rng));
	s.p95 = middle * (1 + slow * (0.05 + 0.05 * rng_uniform(rng)));
	s.p99 = middle * (1 + slow * (0.15 + 0.1 * rng_uniform(rng)));
	return s;
}

/* One node in 500, of a cluster as large as that. */
static int is_slow(size_t node, const struct plan *p)
{
	return p->nodes.n > 500 && node % 500 == 250;
}

static void write_unit(struct store_log *log, const struct plan *p, const struct plan_step *s,
                       const struct plan_job *j, size_t k, struct rng *rng)
{
	struct hb_err err;
	const struct bench_info *info = j->cases.info;
	uint64_t bytes = j->cases.v[k].bytes;
	double seconds = 1.5e-6 + (double)bytes / 12e9;
	struct rec_point pt = { .ids = { s->id, j->first_unit + k, 1, PHASE_MAIN },
		                .is_pair = true,
		                .bench = info->name,
		                .bytes = bytes,
		                .a = p->nodes.v[s->rank_node[j->ranks[0]]],
		                .b = p->nodes.v[s->rank_node[j->ranks[1]]],
		                .dir = j->dir,
		                .round = j->round,
		                .ranks = 2,
		                .blocks = 20,
		                .batch = 1,
		                .warmup = 100,
		                .spread = 0.008,
		                .verified = bytes };
	int slow = is_slow(s->rank_node[j->ranks[0]], p) || is_slow(s->rank_node[j->ranks[1]], p);
	seconds *= exp(0.005 * rng_normal(rng) + 0.05 * slow);
	pt.opts = info_key_opts(info, j->cases.v[k].opts);
	for (const struct metric_info *m = info->metrics; m->name; m++) {
		double v = m->unit == UNIT_NS    ? seconds * 1e9
		           : m->unit == UNIT_BPS ? (double)bytes / seconds
		                                 : 1 / seconds;
		pt.metrics[pt.n_metrics++] =
		        (struct rec_metric){ m->name, spread_out(rng, v, m->higher_is_better) };
	}
	struct rec_end end = { pt.ids, UNIT_OK, NULL, 0.5 };
	json_object *o = rec_point_to_json(&pt), *e = rec_end_to_json(&end);
	if (store_log_line(log, o, &err) != HB_OK || store_log_line(log, e, &err) != HB_OK) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	js_put(o);
	js_put(e);
	js_put(pt.opts);
}

static int write_records(const char *dir, const struct plan *p, struct hb_err *err)
{
	char path[4096];
	struct store_log *log;
	struct rng rng;
	snprintf(path, sizeof(path), "%s/records.jsonl", dir);
	int rc = store_log_open(path, &log, err);
	if (rc != HB_OK)
		return rc;
	rng_seed(&rng, 7);
	for (size_t i = 0; rc == HB_OK && i < p->nodes.n; i++) {
		json_object *o = json_object_new_object();
		js_set_str(o, "type", "rank");
		js_set_u64(o, "rank", i);
		js_set_str(o, "host", p->nodes.v[i]);
		js_set_str(o, "hw", "2x made CPU 64c | 512 GiB | 2x made 200G");
		rc = store_log_line(log, o, err);
		js_put(o);
	}
	for (size_t i = 0; i < p->n_steps; i++)
		for (size_t j = 0; j < p->steps[i].n_jobs; j++)
			for (size_t k = 0; k < p->steps[i].jobs[j].cases.n; k++)
				write_unit(log, p, &p->steps[i], &p->steps[i].jobs[j], k, &rng);
	int closed = store_log_close(log, err);
	return rc == HB_OK ? closed : rc;
}

static int write_about(const char *dir, const struct plan *p, struct hb_err *err)
{
	char path[4096];
	struct buf plan = BUF_INIT;
	json_object *run = json_object_new_object();
	json_object *steps = json_object_new_array();
	snprintf(path, sizeof(path), "%s/plan.json", dir);
	plan_write(p, &plan);
	int rc = store_write(path, plan.data, plan.len, err);
	buf_free(&plan);
	js_set_u64(run, "schema", 1);
	js_set_str(run, "run", p->run);
	js_set_str(run, "suite", p->suite->name);
	js_set_str(run, "started", "2026-11-30T01:42:10Z");
	for (size_t i = 0; i < p->n_steps; i++) {
		json_object *s = json_object_new_object();
		js_set_u64(s, "id", p->steps[i].id);
		js_set_str(s, "status", "done");
		json_object_array_add(steps, s);
	}
	js_set_obj(run, "steps", steps);
	snprintf(path, sizeof(path), "%s/run.json", dir);
	if (rc == HB_OK)
		rc = store_write_json(path, run, err);
	js_put(run);
	return rc;
}

int main(int argc, char **argv)
{
	struct hb_err err = { HB_OK, "" };
	struct suite suite;
	struct nodeset nodes = { 0 };
	struct plan plan;
	char text[64];
	json_object *o = NULL;
	if (argc < 4 || argc > 5) {
		fprintf(stderr, "usage: bench-make-run DIR NODES ROUNDS [SUITE]\n");
		return 64;
	}
	snprintf(text, sizeof(text), "n[001-%03ld]", strtol(argv[2], NULL, 10));
	struct plan_params params = { .seed = 42, .rounds = (int)strtol(argv[3], NULL, 10) };
	mkdir(argv[1], 0777);
	int read = argc > 4 ? js_read_file(argv[4], 1 << 20, &o, &err)
	                    : js_parse(suite_text, strlen(suite_text), "suite", &o, &err);
	if (read != HB_OK || suite_from_json(o, "suite", &suite, &err) != HB_OK ||
	    nodeset_parse(text, &nodes, &err) != HB_OK ||
	    plan_make(&suite, &nodes, "sim", &params, &plan, &err) != HB_OK) {
		fprintf(stderr, "bench-make-run: %s\n", err.text);
		return 1;
	}
	plan.run = strdup("20261130-014210-7f3a");
	if (write_about(argv[1], &plan, &err) != HB_OK ||
	    write_records(argv[1], &plan, &err) != HB_OK) {
		fprintf(stderr, "bench-make-run: %s\n", err.text);
		return 1;
	}
	printf("%llu\n", (unsigned long long)plan.next_unit - 1);
	plan_free(&plan);
	suite_free(&suite);
	nodeset_free(&nodes);
	js_put(o);
	return 0;
}

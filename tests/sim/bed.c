#include "tests/sim/bed.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

const char *const bed_subjects[BED_SUBJECTS] = { "n1", "n2", "n3", "n4" };

static const struct {
	const char *bench, *metric;
	enum unit unit;
	bool higher_is_better;
} benches[BED_BENCHES] = {
	{ "mpi.latency", "lat_p50_ns", UNIT_NS, false },
	{ "mpi.bandwidth", "algbw_Bps", UNIT_BPS, true },
	{ "mpi.allreduce", "lat_p50_ns", UNIT_NS, false },
};

const char *bed_bench(int i)
{
	return benches[i].bench;
}

static void model_make(struct sim_model *m, uint64_t seed, double size_rho, double subject_rho)
{
	sim_model_init(m);
	m->seed = seed;
	m->run_spread = 0.01;
	m->size_correlation = size_rho;
	m->subject_correlation = subject_rho;
}

void bed_make(struct bed *b, uint64_t seed, double size_rho, double subject_rho, double loss,
              const char *subject, const char *bench)
{
	model_make(&b->quiet, seed, size_rho, subject_rho);
	model_make(&b->now, seed, size_rho, subject_rho);
	if (loss > 0.0) {
		struct sim_fault *f = hb_alloc(sizeof(*f));

		f->kind = SIM_SLOW_NODE;
		f->node = hb_strdup(subject);
		f->bench = hb_strdup(bench);
		f->rank = -1;
		f->factor = 1.0 / (1.0 - loss);
		b->now.faults = f;
		b->now.n_faults = 1;
	}
}

void bed_free(struct bed *b)
{
	sim_model_free(&b->quiet);
	sim_model_free(&b->now);
}

static uint64_t size_of(int k)
{
	return 1024u << (2 * k);
}

static void fill_names(const struct sim_model *m, int bench, int size, const char *subject,
                       struct summary_row *r)
{
	r->key.bench = hb_strdup(benches[bench].bench);
	r->key.metric = hb_strdup(benches[bench].metric);
	r->key.opts = hb_strdup("{}");
	r->key.class_ = hb_strdup("same-node");
	r->key.hw = hb_strdup(m->hw);
	r->key.bytes = size_of(size);
	r->key.nodes = 1;
	r->key.rpn = 2;
	key_make(&r->key);
	r->subject = hb_strdup(subject);
	r->unit = benches[bench].unit;
	r->higher_is_better = benches[bench].higher_is_better;
	r->judged = true;
	r->floor = 0.03;
	r->n = 1000;
}

static void fill_figure(const struct sim_model *m, uint64_t run, int repeat, struct summary_row *r)
{
	const struct sim_what w = { .run = run,
		                    .bench = r->key.bench,
		                    .bytes = r->key.bytes,
		                    .a = r->subject,
		                    .repeat = repeat };
	double ns = sim_time_ns(m, &w);

	r->value = r->higher_is_better ? (double)r->key.bytes / ns * 1e9 : ns;
}

static void make_rows(const struct sim_model *m, struct summary *out)
{
	summary_init(out);
	for (int b = 0; b < BED_BENCHES; b++)
		for (int k = 0; k < BED_SIZES; k++)
			for (int i = 0; i < BED_SUBJECTS; i++)
				fill_names(m, b, k, bed_subjects[i], summary_add_row(out, false));
}

void bed_run(const struct sim_model *m, uint64_t run, struct summary *out)
{
	if (!out->rows)
		make_rows(m, out);
	free(out->run);
	out->run = hb_format("run-%llu", (unsigned long long)run);
	for (size_t i = 0; i < out->n_rows; i++)
		fill_figure(m, run, 0, &out->rows[i]);
	for (size_t i = 0; i < out->n_confirm; i++)
		summary_row_free(&out->confirm[i]);
	out->n_confirm = 0;
}

void bed_baseline(const struct sim_model *m, uint64_t first, int n, struct summary *runs,
                  struct baseline *out)
{
	const struct summary *list[BED_RUNS_MAX];

	for (int t = 0; t < n; t++) {
		bed_run(m, first + (uint64_t)t, &runs[t]);
		list[t] = &runs[t];
	}
	baseline_build(list, (size_t)n, out);
}

static void add_row(const struct sim_model *m, uint64_t number, int bench, int size,
                    const char *subject, const char *partner, struct summary_row *r)
{
	fill_names(m, bench, size, subject, r);
	fill_figure(m, number, r->repeat + 1, r);
	r->partner = hb_strdup(partner);
}

static void add_repeat(const struct sim_model *m, uint64_t number, int bench, int repeat,
                       const struct suspect *s, struct summary *run)
{
	for (int k = 0; k < BED_SIZES; k++) {
		struct summary_row *r = summary_add_row(run, true);

		r->repeat = repeat;
		add_row(m, number, bench, k, s->subject, s->control, r);
		if (!s->control)
			continue;
		r = summary_add_row(run, true);
		r->phase = PHASE_CONTROL;
		r->repeat = repeat;
		add_row(m, number, bench, k, s->control, s->subject, r);
	}
}

void bed_rerun(const struct sim_model *m, uint64_t number, const struct suspect *s,
               struct summary *run)
{
	for (int b = 0; b < BED_BENCHES; b++)
		for (int r = 0; r < BED_REPEATS && strcmp(s->bench, benches[b].bench) == 0; r++)
			add_repeat(m, number, b, r, s, run);
}

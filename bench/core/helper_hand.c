/* A helper that a person started: one benchmark, all its cases, a table. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/helper_parts.h"

enum { HELP_WIDTH = 80, NAMES_MAX = 64 };

struct hand_opts {
	double precision, max_time, deadline, inject;
	uint64_t max_iters, seed;
	int verify, help;
	char *records;
};
#define AT(field) offsetof(struct hand_opts, field)

const struct opt helper_hand_opts[] = {
	{ OPT_RATIO, 0, "precision", "P", "stop when the median is known this well", "1%",
	  AT(precision), 0, 1, NULL, 0 },
	{ OPT_SECONDS, 0, "max-time", "T", "or after this long a case", "2s", AT(max_time), 0,
	  86400, NULL, 0 },
	{ OPT_U64, 0, "max-iters", "N", "or after so many iterations, 0: no limit", "0",
	  AT(max_iters), 0, 0, NULL, 0 },
	{ OPT_SECONDS, 0, "deadline", "T", "a case that takes longer has failed, 0: none", "60s",
	  AT(deadline), 0, 86400, NULL, 0 },
	{ OPT_FLAG, 0, "verify", NULL, "check the data afterwards (the default)", "1", AT(verify),
	  0, 1, NULL, 0 },
	{ OPT_U64, 0, "seed", "N", "of the data", "1", AT(seed), 0, 0, NULL, 0 },
	{ OPT_RATIO, 0, "inject", "F", "stretch every sample to F times its length", "1",
	  AT(inject), 1, 10, NULL, 0 },
	{ OPT_STRING, 0, "records", "FILE", "write records to a new file instead of a table", NULL,
	  AT(records), 0, 0, NULL, 0 },
	{ OPT_FLAG, 'h', "help", NULL, "show this", NULL, AT(help), 0, 1, NULL, OPT_HIDDEN },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0 },
};

/* One invocation. */
struct hand {
	struct crew *crew;
	const struct bench_ops *ops;
	void *bench_opts;
	struct hand_opts opts;
	struct job job;
	char *a, *b; /* endpoints */
	struct emit *emit;
};

static int unknown_bench(const struct helper *h, const char *name, struct hb_err *err)
{
	const char *names[NAMES_MAX + 1] = { NULL }, *near;

	for (int i = 0; i < NAMES_MAX && h->benches[i]; i++)
		names[i] = h->benches[i]->info->name;
	near = units_nearest(name, names);
	return hb_fail(err, HB_E_USAGE, "no benchmark '%.80s'%s%s%s; see --list", name,
	               near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int parse_words(struct hand *m, int argc, char **argv, struct hb_err *err)
{
	const struct helper *h = m->crew->helper;
	const char **words = hb_alloc((size_t)(argc + 1) * sizeof(*words));
	int unknown = 0, rc = HB_OK;

	for (int i = 0; i < argc; i++)
		words[i] = argv[i];
	for (const struct bench_ops *const *ops = h->benches; argc > 1 && *ops; ops++)
		if (!strcmp((*ops)->info->name, words[1]))
			m->ops = *ops;
	opt_defaults(helper_hand_opts, &m->opts);
	if (!m->ops) {
		rc = unknown_bench(h, argc > 1 ? words[1] : "", err);
		free(words);
		return rc;
	}
	m->bench_opts = info_opts_new(m->ops->info);
	rc = opt_parse(m->ops->info->opts, m->bench_opts, &argc, words, &unknown, err);
	if (!rc)
		rc = opt_parse(helper_hand_opts, &m->opts, &argc, words, NULL, err);
	if (!rc && argc > 2)
		rc = hb_fail(err, HB_E_USAGE, "'%.80s' is one word too many", words[2]);
	free(words);
	return rc;
}

static int print_help(const struct hand *m)
{
	const struct bench_info *info = m->ops->info;
	struct buf text = BUF_INIT;
	int rc;

	buf_printf(&text, "usage: hpcbench-%s %s [options]\n\n%s\n\n", m->crew->helper->name,
	           info->name, info->summary);
	opt_help(info->opts, HELP_WIDTH, &text);
	opt_help(helper_hand_opts, HELP_WIDTH, &text);
	rc = fputs(buf_text(&text), stdout) < 0 ? HB_EXIT_BROKEN : HB_EXIT_OK;
	buf_free(&text);
	return rc;
}

/* Which ranks measure: one, two, or all. */
static int choose_ranks(struct hand *m, struct hb_err *err)
{
	const struct bench_info *info = m->ops->info;
	int size = m->crew->world->ops->size(m->crew->world), n = size;

	if (info->shape == BENCH_LOCAL)
		n = 1;
	else if (info->shape == BENCH_PAIR)
		n = 2;
	if (size < n || n < info->min_ranks)
		return hb_fail(err, HB_E_USAGE,
		               "%s needs %d ranks, %d started: mpirun -n %d hpcbench-%s %s",
		               info->name, info->min_ranks, size, info->min_ranks,
		               m->crew->helper->name, info->name);
	m->job.n_ranks = n;
	m->job.ranks = hb_realloc_array(NULL, (size_t)n, sizeof(int));
	for (int i = 0; i < n; i++)
		m->job.ranks[i] = i;
	return HB_OK;
}

/* Rank 0 learns where the others are; on one node the rank tells them apart. */
static int name_endpoints(struct hand *m, struct hb_err *err)
{
	struct comm *world = m->crew->world;
	int size = world->ops->size(world), rc;
	const char *host = m->crew->node.host;
	size_t *lens = hb_alloc((size_t)size * sizeof(*lens));
	struct buf hosts = BUF_INIT;

	rc = world->ops->gatherv(world, host, strlen(host), &hosts, lens, 0, err);
	m->a = hb_strdup(host);
	if (!rc && world->ops->rank(world) == 0 && m->ops->info->shape == BENCH_PAIR) {
		m->b = hb_strndup(hosts.data + lens[0], lens[1]);
		if (!strcmp(m->a, m->b)) {
			char *both = m->b;

			free(m->a);
			m->a = hb_format("%s/rank0", both);
			m->b = hb_format("%s/rank1", both);
			free(both);
		}
	}
	free(lens);
	buf_free(&hosts);
	return rc;
}

static void fill_job(struct hand *m)
{
	struct job *j = &m->job;
	const struct hand_opts *o = &m->opts;

	j->id = 1;
	j->host = m->crew->node.host;
	j->listener = -1;
	j->ops = m->ops;
	j->ids = (struct rec_ids){ .attempt = 1 };
	j->a = m->a;
	j->b = m->b;
	j->round = -1;
	j->seed = o->seed;
	j->params = (struct run_params){ o->precision, o->max_time,    o->max_iters,
		                         o->deadline,  o->verify != 0, o->inject };
	j->units = hb_alloc((j->cases.n + 1) * sizeof(*j->units));
	for (size_t i = 0; i < j->cases.n; i++)
		j->units[i] = i + 1;
}

static int open_output(struct hand *m, struct hb_err *err)
{
	int rank = m->crew->world->ops->rank(m->crew->world), rc;

	if (!m->opts.records || rank != 0) {
		m->emit = emit_table_new(stdout);
		return HB_OK;
	}
	m->crew->facts = true;
	m->crew->first = helper_first_on_node();
	rc = emit_file_new(m->opts.records, &m->emit, err);
	return rc < 0 ? rc : helper_introduce(m->crew, m->emit, err);
}

/* Both directions where they are measured apart. */
static int measure(struct hand *m, struct hb_err *err)
{
	static const enum direction one[] = { DIR_BOTH }, two[] = { DIR_AB, DIR_BA };
	bool directed = (m->ops->info->flags & BENCH_DIRECTED) != 0;
	int rank = m->crew->world->ops->rank(m->crew->world), worst = HB_OK;

	if (rank >= m->job.n_ranks)
		return HB_OK;
	for (size_t i = 0; i < (directed ? 2u : 1u) && worst != HB_E_TIMEOUT; i++) {
		int rc;

		m->job.dir = directed ? two[i] : one[i];
		m->job.id = i + 1;
		rc = job_run(&m->job, m->crew->world, m->emit, err);
		if (rc == HB_E_TIMEOUT || worst == HB_OK)
			worst = rc;
		for (size_t k = 0; k < m->job.cases.n; k++)
			m->job.units[k] += m->job.cases.n;
	}
	return worst;
}

static int prepare(struct hand *m, struct hb_err *err)
{
	int rc = choose_ranks(m, err);

	if (!rc)
		rc = m->ops->info->cases(m->ops->info, m->bench_opts, &m->job.cases, err);
	if (!rc)
		rc = name_endpoints(m, err);
	if (rc < 0)
		return rc;
	fill_job(m);
	return open_output(m, err);
}

/* Every rank sees the same error in what was typed; rank 0 alone says it. */
static int say(struct hand *m, const struct hb_err *err)
{
	if (m->crew->world->ops->rank(m->crew->world) != 0)
		return hb_exit_of(err->code);
	return helper_complain(m->crew->helper, err);
}

int helper_by_hand(struct crew *crew, int argc, char **argv)
{
	struct hand m = { .crew = crew };
	struct hb_err err = { HB_OK, "" };
	int rc = parse_words(&m, argc, argv, &err), code;

	if (!rc && m.opts.help) {
		code = crew->world->ops->rank(crew->world) == 0 ? print_help(&m) : HB_EXIT_OK;
	} else {
		if (!rc)
			rc = prepare(&m, &err);
		if (!rc)
			rc = measure(&m, &err);
		crew->clean = rc != HB_E_TIMEOUT;
		code = rc < 0 ? say(&m, &err) : HB_EXIT_OK;
	}
	if (m.emit)
		m.emit->close(m.emit);
	job_free(&m.job);
	if (m.ops)
		info_opts_free(m.ops->info, m.bench_opts);
	opt_free(helper_hand_opts, &m.opts);
	free(m.a);
	free(m.b);
	return code;
}

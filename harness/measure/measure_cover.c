/*
 * What a run tells the coverage ledger. A node counts as measured if it has a good figure of every
 * benchmark of the suite that this machine did not skip, and of one at least.
 */
#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/measure/measure_choose.h"
#include "harness/measure/measure_parts.h"
#include "harness/slurm/slurm.h"

enum { NAME_SHOWN = 200 };

char *measure_suite_name(const struct measure *m)
{
	struct buf b = BUF_INIT;

	if (!m->req.bench)
		return hb_strdup(m->suite.name);
	/* Some benchmarks are not the suite; the same ones are the same again. */
	buf_printf(&b, "%s:", m->suite.name);
	for (size_t i = 0; i < m->suite.n_entries; i++) {
		const char *name = m->suite.entries[i].info->name;
		if (i == 0 || strcmp(m->suite.entries[i - 1].info->name, name) != 0)
			buf_printf(&b, "%s%s", i ? "," : "", name);
	}
	if (b.len > NAME_SHOWN) {
		uint64_t h = rng_hash(b.data, b.len);
		char *cut = hb_format("%.*s...%016llx", (int)NAME_SHOWN, b.data,
		                      (unsigned long long)h);
		buf_free(&b);
		return cut;
	}
	return buf_detach(&b);
}

void measure_ledger_name(const struct measure *m, char out[256])
{
	const char *arg = m->site.arg, *slash = arg ? strrchr(arg, '/') : NULL;
	struct slurm_config config;
	struct hb_err err;

	if (m->site.ops == &launcher_sim)
		snprintf(out, 256, "sim:%s", slash ? slash + 1 : arg ? arg : "");
	else if (m->site.ops == &launcher_srun && !m->site.cluster &&
	         slurm_config_read(m->req.signal_fd, &config, &err) == HB_OK && config.cluster[0])
		snprintf(out, 256, "%s", config.cluster); /* it is not opened yet */
	else
		measure_cluster(m, out);
}

/* Of each node and benchmark of the suite. */
enum told { TOLD_NOTHING, TOLD_BAD, TOLD_GOOD };

enum { UPDATE_S = 20 /* its lock may be waited for */ };

struct cover {
	const struct measure *m;
	const struct bench_info *bench[SUITE_ENTRIES_MAX];
	size_t n_benches;
	size_t *index;       /* of the nodes, sorted by name */
	unsigned char *told; /* n_benches a node */
};

static int by_name(const void *a, const void *b, void *names)
{
	char *const *v = names;

	return strcmp(v[*(const size_t *)a], v[*(const size_t *)b]);
}

static size_t find_node(const struct cover *c, const char *name)
{
	size_t lo = 0, hi = c->m->plan.nodes.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int cmp = strcmp(c->m->plan.nodes.v[c->index[mid]], name);
		if (cmp == 0)
			return c->index[mid];
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return SIZE_MAX;
}

static size_t find_bench(const struct cover *c, const char *name)
{
	for (size_t i = 0; i < c->n_benches; i++)
		if (strcmp(c->bench[i]->name, name) == 0)
			return i;
	return SIZE_MAX;
}

static void tell(struct cover *c, size_t node, size_t bench, enum told what)
{
	unsigned char *t = &c->told[node * c->n_benches + bench];

	if (*t < what)
		*t = (unsigned char)what;
}

/* A good figure of the whole cluster is one of every node in a job of its benchmark. */
static void tell_groups(struct cover *c, size_t bench, enum told what)
{
	const struct plan *p = &c->m->plan;

	for (size_t s = 0; s < p->n_steps; s++) {
		for (size_t i = 0; i < p->steps[s].n_jobs; i++) {
			const struct plan_job *j = &p->steps[s].jobs[i];
			if (p->suite->entries[j->entry].info != c->bench[bench])
				continue;
			for (int r = 0; r < j->n_ranks; r++)
				tell(c, p->steps[s].rank_node[j->ranks[r]], bench, what);
		}
	}
}

static void look_at_rows(struct cover *c)
{
	const struct summary *s = &c->m->summary;

	for (size_t i = 0; i < s->n_rows; i++) {
		const struct summary_row *r = &s->rows[i];
		size_t bench = find_bench(c, r->key.bench), node = find_node(c, r->subject);
		enum told what = r->quality == ROW_OK ? TOLD_GOOD : TOLD_BAD;
		if (!r->judged || bench == SIZE_MAX)
			continue;
		if (node != SIZE_MAX)
			tell(c, node, bench, what);
		else if (r->kind == SUBJECT_CLUSTER && c->bench[bench]->shape == BENCH_GROUP)
			tell_groups(c, bench, what);
	}
}

/* A node that its groups were lost through has no figure of them. */
static void look_at_losses(struct cover *c)
{
	const struct summary *s = &c->m->summary;

	for (size_t i = 0; i < s->n_losses; i++) {
		const struct summary_loss *l = &s->losses[i];
		size_t node = find_node(c, l->subject);
		size_t bench = l->bench ? find_bench(c, l->bench) : SIZE_MAX;
		if (node == SIZE_MAX || bench == SIZE_MAX || l->status == UNIT_SKIPPED ||
		    c->bench[bench]->shape != BENCH_GROUP)
			continue;
		c->told[node * c->n_benches + bench] = TOLD_BAD;
	}
}

static bool is_measured(const struct cover *c, size_t node)
{
	bool good = false;

	for (size_t i = 0; i < c->n_benches; i++) {
		unsigned char t = c->told[node * c->n_benches + i];
		if (t == TOLD_BAD)
			return false;
		good = good || t == TOLD_GOOD;
	}
	return good;
}

static void cover_open(struct cover *c, const struct measure *m)
{
	size_t n = m->plan.nodes.n;

	*c = (struct cover){ .m = m };
	for (size_t e = 0; e < m->suite.n_entries; e++)
		if (find_bench(c, m->suite.entries[e].info->name) == SIZE_MAX)
			c->bench[c->n_benches++] = m->suite.entries[e].info;
	c->told = hb_alloc(n * c->n_benches + 1);
	c->index = hb_alloc((n + 1) * sizeof *c->index);
	for (size_t i = 0; i < n; i++)
		c->index[i] = i;
	qsort_r(c->index, n, sizeof *c->index, by_name, m->plan.nodes.v);
	look_at_rows(c);
	look_at_losses(c);
}

/* Whoever was stopped half way has not had its turn. */
static size_t entries_of(const struct cover *c, struct ledger_entry *out)
{
	const struct measure *m = c->m;
	bool whole = !m->summary.partial && !m->signal && !m->broken;
	size_t n = 0;

	for (size_t i = 0; i < m->n_steps; i++)
		whole = whole && !m->steps[i].no_time;

	for (size_t i = 0; i < m->plan.nodes.n; i++) {
		json_object *hw = NULL;
		struct ledger_entry e = { m->plan.nodes.v[i], NULL, is_measured(c, i) };
		if (!e.measured && !whole)
			continue;
		if (json_object_object_get_ex(m->summary.hw, e.node, &hw))
			e.hw = json_object_get_string(hw);
		out[n++] = e;
	}
	return n;
}

/* The ledger's update, in a process of its own: the store may hang. */
struct update {
	const struct store *s;
	const struct ledger_note *n;
};

static int update(void *ctx, struct buf *out, struct hb_err *err)
{
	struct update *u = ctx;
	char *aside = NULL;
	int rc = ledger_update(u->s, u->n, &aside, err);

	if (aside)
		buf_puts(out, aside);
	free(aside);
	return rc;
}

void measure_cover(const struct measure *m, const struct store *s)
{
	struct buf aside = BUF_INIT;
	struct ledger_entry *v;
	struct hb_err err;
	struct cover c;
	char cluster[256], *suite;

	/* What was slowed down on purpose tells of nobody. */
	if (!m->has_summary || m->req.inject || m->broken)
		return;
	cover_open(&c, m);
	v = hb_alloc((m->plan.nodes.n + 1) * sizeof *v);
	measure_ledger_name(m, cluster);
	suite = measure_suite_name(m);
	struct ledger_note n = { cluster, suite, m->id, m->started, v, entries_of(&c, v) };
	struct update u = { s, &n };
	int rc = n.n ? store_apart(update, &u, UPDATE_S, &aside, &err) : HB_OK;
	if (rc == HB_E_TIMEOUT)
		hb_fail(&err, rc,
		        "the store %.200s did not answer when this run was to be noted in its "
		        "coverage.json",
		        s->path);
	const char *text = rc != HB_OK ? err.text : buf_text(&aside);
	if (*text && m->req.note)
		m->req.note(m->req.ctx, "warn", text);
	buf_free(&aside);
	free(suite);
	free(v);
	free(c.told);
	free(c.index);
}

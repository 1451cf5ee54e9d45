/* `hpcbench list coverage`: nodes by suite and when they were last measured, the oldest first. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_list.h"
#include "harness/plan/nodeset.h"
#include "harness/store/ledger.h"

struct line {
	const char *cluster, *suite, *node;
	struct ledger_turn turn;
};

struct lines {
	struct line *v;
	size_t n, cap;
};

/* n9 before n10: by the number that a name ends with, where all before it is the same. */
static int by_node(const char *x, const char *y)
{
	size_t i = 0;

	while (x[i] && x[i] == y[i])
		i++;
	while (i > 0 && x[i - 1] >= '0' && x[i - 1] <= '9')
		i--;
	size_t dx = strspn(x + i, "0123456789"), dy = strspn(y + i, "0123456789");
	if (dx && dy && dx != dy)
		return dx < dy ? -1 : 1;
	return strcmp(x, y);
}

static int by_age(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = strcmp(x->cluster, y->cluster);

	if (c == 0)
		c = strcmp(x->suite, y->suite);
	if (c == 0)
		c = strcmp(x->turn.last, y->turn.last);
	if (c == 0)
		c = strcmp(x->turn.tried, y->turn.tried);
	return c ? c : by_node(x->node, y->node);
}

static bool same_line(const struct line *a, const struct line *b)
{
	return strcmp(a->cluster, b->cluster) == 0 && strcmp(a->suite, b->suite) == 0 &&
	       strcmp(a->turn.last, b->turn.last) == 0 && strcmp(a->turn.tried, b->turn.tried) == 0;
}

static void add_node(struct lines *l, const char *cluster, json_object *nodes, const char *node,
                     const char *only)
{
	json_object *o = NULL, *suites = NULL;

	json_object_object_get_ex(nodes, node, &o);
	json_object_object_get_ex(o, "suites", &suites);
	json_object_object_foreach(suites, suite, turn)
	{
		(void)turn;
		if (only && strcmp(suite, only) != 0)
			continue;
		hb_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v);
		l->v[l->n++] = (struct line){ cluster, suite, node,
			                      ledger_turn(nodes, node, suite) };
	}
}

/* The lines from..to, which are one of the table. */
static void put_line(struct listing *l, const struct lines *all, size_t from, size_t to)
{
	const struct line *first = &all->v[from];
	struct nodeset names = { 0 };
	struct buf text = BUF_INIT;
	json_object *o = json_object_new_object();

	names.v = hb_realloc_array(NULL, to - from, sizeof *names.v);
	for (size_t i = from; i < to; i++)
		names.v[names.n++] = hb_strdup(all->v[i].node);
	nodeset_format(&names, &text);
	nodeset_free(&names);
	js_set_str(o, "name", first->suite);
	js_set_str(o, "cluster", first->cluster);
	js_set_str(o, "last", *first->turn.last ? first->turn.last : NULL);
	js_set_str(o, "run", *first->turn.run ? first->turn.run : NULL);
	js_set_str(o, "tried", *first->turn.tried ? first->turn.tried : NULL);
	js_set_u64(o, "count", to - from);
	js_set_str(o, "nodes", buf_text(&text));
	json_object_array_add(l->items, o);
	doc_cell(l->d, DOC_PLAIN, "%s", first->cluster);
	doc_cell(l->d, DOC_PLAIN, "%s", first->suite);
	doc_cell(l->d, *first->turn.last ? DOC_PLAIN : DOC_WARN, "%s",
	         *first->turn.last ? first->turn.last : "never");
	doc_cell(l->d, DOC_WARN, "%s", first->turn.tried);
	doc_cell(l->d, DOC_PLAIN, "%zu", to - from);
	doc_cell(l->d, DOC_PLAIN, "%s", buf_text(&text));
	buf_free(&text);
}

static void put_lines(struct listing *l, struct lines *all)
{
	static const char *const titles[] = { "cluster", "suite", "measured", "in vain",
		                              ">nodes",  "which", NULL };

	qsort(all->v, all->n, sizeof *all->v, by_age);
	doc_table(l->d, titles);
	for (size_t from = 0, to = 0; from < all->n; from = to) {
		while (to < all->n && same_line(&all->v[from], &all->v[to]))
			to++;
		put_line(l, all, from, to);
	}
}

int list_coverage(struct listing *l)
{
	struct hb_err err = { 0 };
	struct lines all = { 0 };
	struct ledger ledger;
	struct store s;

	if (store_open(l->common->store, false, &s, &err) != HB_OK)
		return cmd_error("list", &err);
	ledger_read(&s, &ledger);
	js_set_str(l->d->data, "store", s.path);
	json_object_object_foreach(ledger.clusters, cluster, nodes)
	{
		json_object_object_foreach(nodes, node, value)
		{
			(void)value;
			add_node(&all, cluster, nodes, node, l->opts->suite);
		}
	}
	if (all.n)
		put_lines(l, &all);
	else if (!ledger.warning)
		doc_text(l->d, DOC_PLAIN, "nothing was measured yet%s%s in %s",
		         l->opts->suite ? " with suite " : "", l->opts->suite ? l->opts->suite : "",
		         s.path);
	if (ledger.warning)
		doc_text(l->d, DOC_WARN, "%s", ledger.warning);
	free(all.v);
	ledger_free(&ledger);
	store_close(&s);
	return CODE_OK;
}

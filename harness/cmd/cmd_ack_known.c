/* Does anything in the store know the nodes that an acknowledgement is about? */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_ack.h"
#include "harness/judge/baseline.h"
#include "harness/store/ledger.h"

enum { RUNS_READ = 50 };

static void take_names(json_object *from, json_object *to)
{
	if (!json_object_is_type(from, json_type_object))
		return;
	json_object_object_foreach(from, name, value)
	{
		(void)value;
		js_set_bool(to, name, true);
	}
}

static void take_ledger(const struct store *s, json_object *to)
{
	struct ledger l;

	ledger_read(s, &l);
	if (l.clusters) {
		json_object_object_foreach(l.clusters, name, nodes)
		{
			(void)name;
			take_names(nodes, to);
		}
	}
	ledger_free(&l);
}

static void take_baselines(const struct store *s, json_object *to)
{
	char **names = NULL;
	size_t n = 0;

	if (store_baseline_list(s, &names, &n, NULL) != HB_OK)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		char *path = store_baseline_path(s, names[i]);
		struct baseline b = { 0 };
		if (baseline_read(path, &b, NULL) == HB_OK) {
			take_names(b.hw, to);
			take_names(b.excluded, to);
			baseline_free(&b);
		}
		free(path);
	}
	store_dirs_free(names, n);
}

/* The newest runs; a node that was lost in all of them still has its losses there. */
static void take_runs(const struct store *s, json_object *to)
{
	char **ids = NULL;
	size_t n = 0;

	if (store_run_list(s, &ids, &n, NULL) != HB_OK)
		n = 0;
	for (size_t i = n; i > 0 && i + RUNS_READ > n; i--) {
		char *dir = hb_format("%s/runs/%s", s->path, ids[i - 1]);
		struct summary r;
		if (summary_read(dir, &r, NULL) == HB_OK) {
			take_names(r.hw, to);
			for (size_t k = 0; k < r.n_losses; k++)
				js_set_bool(to, r.losses[k].subject, true);
			summary_free(&r);
		}
		free(dir);
	}
	store_dirs_free(ids, n);
}

json_object *ack_known_nodes(const struct store *s)
{
	json_object *known = json_object_new_object();

	take_ledger(s, known);
	take_baselines(s, known);
	take_runs(s, known);
	return known;
}

static char *unknown_of(json_object *known, const char *name, size_t len)
{
	char *node = hb_strndup(name, len);

	if (!json_object_object_get_ex(known, node, NULL))
		return node;
	free(node);
	return NULL;
}

/* "a-b" where names may have a '-' of their own: any way to divide it into two that are known. */
static bool is_link(json_object *known, const char *subject)
{
	for (const char *p = strchr(subject, '-'); p; p = strchr(p + 1, '-')) {
		char *a = unknown_of(known, subject, (size_t)(p - subject));
		char *b = a ? NULL : unknown_of(known, p + 1, strlen(p + 1));
		bool both = !a && !b;
		free(a);
		free(b);
		if (both)
			return true;
	}
	return false;
}

char *ack_unknown_node(json_object *known, const char *subject)
{
	size_t len = strcspn(subject, "/>");
	char *unknown;

	if (json_object_object_length(known) == 0 || strcmp(subject, "cluster") == 0 ||
	    memchr(subject, ':', len)) /* leaf:, rail:, fs: */
		return NULL;
	unknown = unknown_of(known, subject, len);
	if (!unknown && subject[len] == '>')
		return unknown_of(known, subject + len + 1, strlen(subject + len + 1));
	if (unknown && !subject[len] && is_link(known, subject)) {
		free(unknown);
		return NULL;
	}
	return unknown;
}

/*
 * Adding a run to the coverage ledger. It is read again under the lock, so that of two writers
 * neither loses what the other one wrote.
 */
#include <time.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/ledger_parts.h"

static json_object *member_made(json_object *o, const char *key)
{
	json_object *v = NULL;

	if (!json_object_object_get_ex(o, key, &v) || !v) {
		v = json_object_new_object();
		js_set_obj(o, key, v);
	}
	return v;
}

static const char *text_of(json_object *o, const char *key)
{
	json_object *v = NULL;

	return json_object_object_get_ex(o, key, &v) && v ? json_object_get_string(v) : "";
}

/* Is (time, run) newer than what stands there? What lies in the future cannot be true. */
static bool newer(json_object *turn, const char *time_key, const char *run_key,
                  const struct ledger_note *n, const char *now)
{
	const char *there = text_of(turn, time_key);
	int c = strcmp(n->time, there);

	if (c == 0)
		return strcmp(n->run, text_of(turn, run_key)) > 0;
	return c > 0 || strcmp(there, now) > 0;
}

static void set_turn(json_object *turn, const struct ledger_note *n, bool measured, const char *now)
{
	const char *time_key = measured ? "last" : "tried";
	const char *run_key = measured ? "run" : "tried_run";

	if (!newer(turn, time_key, run_key, n, now))
		return;
	js_set_str(turn, time_key, n->time);
	js_set_str(turn, run_key, n->run);
	/* A try that was followed by figures is of no interest. */
	if (measured && newer(turn, "tried", "tried_run", n, now)) {
		json_object_object_del(turn, "tried");
		json_object_object_del(turn, "tried_run");
	}
}

/* The newest time in a suite's turn, and in a node's. */
static const char *turn_seen(json_object *turn)
{
	const char *last = text_of(turn, "last"), *tried = text_of(turn, "tried");

	return strcmp(tried, last) > 0 ? tried : last;
}

static const char *node_seen(json_object *node)
{
	const char *newest = "";
	json_object *suites = NULL;

	if (!json_object_object_get_ex(node, "suites", &suites))
		return newest;
	json_object_object_foreach(suites, name, turn)
	{
		(void)name;
		if (strcmp(turn_seen(turn), newest) > 0)
			newest = turn_seen(turn);
	}
	return newest;
}

/* Makes room for one suite more: the one that was not used for the longest time goes. */
static void drop_suite(json_object *suites)
{
	const char *oldest = NULL, *victim = NULL;

	if (json_object_object_length(suites) < LEDGER_SUITES_MAX)
		return;
	json_object_object_foreach(suites, name, turn)
	{
		if (!victim || strcmp(turn_seen(turn), oldest) < 0) {
			victim = name;
			oldest = turn_seen(turn);
		}
	}
	json_object_object_del(suites, victim);
}

struct seen {
	const char *time, *cluster, *node;
};

static int by_time(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	int c = strcmp(x->time, y->time);

	return c ? c : strcmp(x->node, y->node);
}

static void drop_nodes(json_object *clusters)
{
	size_t n = 0, cap = 0;
	struct seen *v = NULL;

	json_object_object_foreach(clusters, cluster, nodes)
	{
		json_object_object_foreach(nodes, name, node)
		{
			hb_grow(&v, &cap, n + 1, sizeof *v);
			v[n++] = (struct seen){ node_seen(node), cluster, name };
		}
	}
	if (n > LEDGER_NODES_MAX) {
		qsort(v, n, sizeof *v, by_time);
		for (size_t i = 0; i < n - LEDGER_NODES_MAX; i++)
			json_object_object_del(member_made(clusters, v[i].cluster), v[i].node);
	}
	free(v);
}

static void add_note(json_object *clusters, const struct ledger_note *n)
{
	json_object *nodes = member_made(clusters, n->cluster);
	char now[32] = "";
	time_t t = time(NULL);
	struct tm tm;

	if (gmtime_r(&t, &tm))
		(void)strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &tm);
	for (size_t i = 0; i < n->n; i++) {
		const struct ledger_entry *e = &n->v[i];
		json_object *node = member_made(nodes, e->node), *suites, *there = NULL;
		if (e->hw)
			js_set_str(node, "hw", e->hw);
		suites = member_made(node, "suites");
		if (!json_object_object_get_ex(suites, n->suite, &there))
			drop_suite(suites);
		set_turn(member_made(suites, n->suite), n, e->measured, now);
	}
	drop_nodes(clusters);
}

static int set_aside(const char *path, const struct ledger_note *n, char **aside,
                     struct hb_err *err)
{
	char *other = hb_format("%s.broken-%s", path, n->run), *why = hb_strdup(err->text);
	int rc = HB_OK;

	if (rename(path, other) != 0)
		rc = hb_fail(err, HB_E_IO, "%.180s; and it cannot be renamed", why);
	else
		*aside = hb_format("%s; it now is %s", why, other);
	free(other);
	free(why);
	return rc;
}

int ledger_update(const struct store *s, const struct ledger_note *n, char **aside,
                  struct hb_err *err)
{
	char *path = ledger_path(s), *lock = NULL;
	json_object *clusters = NULL;
	int rc = store_lock(path, &lock, err);

	*aside = NULL;
	if (rc == HB_OK)
		rc = ledger_load(path, &clusters, err);
	if (rc == HB_E_FORMAT) {
		rc = set_aside(path, n, aside, err);
		clusters = json_object_new_object();
	}
	if (rc == HB_OK) {
		json_object *top = json_object_new_object();
		add_note(clusters, n);
		js_set_i64(top, "schema", LEDGER_SCHEMA);
		js_set_obj(top, "clusters", json_object_get(clusters));
		rc = store_write_json(path, top, err);
		js_put(top);
	}
	store_unlock(lock);
	js_put(clusters);
	free(path);
	return rc;
}

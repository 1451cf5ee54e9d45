/*
 * What nodes tell of themselves: each distinct fact is written once, when the first node tells it,
 * and at the step's end who else told it. Most nodes of a cluster tell the same.
 */
#include "bench/base/fact.h"
#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/launch/launch_parts.h"
#include "harness/launch/launch_told.h"

enum {
	REMEMBERED_MAX =
	        1 << 17, /* distinct facts of a step; those beyond are written as they come */
	REMEMBERED_TEXT = 64 << 20,   /* bytes of them */
	STAMP = 80,                   /* bytes of the fields that every record gets */
	ALSO_LEAST = NODESET_NAME_MAX /* room for a name at least */
};

/* A fact and who told it, by number in the plan. */
struct told {
	size_t at; /* in the text: device, key, value, source */
	uint64_t hash;
	bool null; /* the value could not be had */
	uint32_t first;
	uint32_t *also;
	size_t n, cap;
};

struct step_facts {
	struct buf text, key; /* key: of the fact in question */
	struct told *v;
	size_t n, cap;
	uint32_t *slot; /* number in v and 1; 0: free. Half of them at least are free. */
	size_t n_slots;
	uint64_t *first; /* of each node: the attempt whose first process has come */
	struct seat_told *seat;
};

struct step_facts *step_facts_new(const struct step_run *r)
{
	struct step_facts *f = hb_alloc(sizeof *f);

	f->first = hb_alloc((r->l->p.plan->nodes.n + 1) * sizeof *f->first);
	f->seat = hb_alloc(((size_t)r->step->n_ranks + 1) * sizeof *f->seat);
	return f;
}

void step_facts_free(struct step_facts *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].also);
	free(f->v);
	free(f->slot);
	free(f->first);
	free(f->seat);
	buf_free(&f->text);
	buf_free(&f->key);
	free(f);
}

/* ---- who is asked ---- */

struct node_told *launch_told(struct launch *l)
{
	if (!l->told)
		l->told = hb_alloc((l->p.plan->nodes.n + 1) * sizeof *l->told);
	return l->told;
}

struct seat_told *step_seat_told(struct step_run *r, int seat)
{
	struct seat_told *t = &r->facts->seat[seat];

	if (t->attempt != r->attempt)
		*t = (struct seat_told){ .attempt = r->attempt };
	return t;
}

void step_wish(struct step_run *r, const struct ctl_hello *hello, struct ctl_wish *out)
{
	long node = nodeset_find(&r->l->p.plan->nodes, hello->host);

	/* By another name it may be anybody: better told twice than not at all. */
	if (node < 0) {
		out->facts = true;
		return;
	}
	out->first = r->facts->first[node] != r->attempt;
	out->facts = out->first && !launch_told(r->l)[node].facts;
	r->facts->first[node] = r->attempt;
}

bool step_facts_wanted(const struct step_run *r)
{
	for (int i = 0; i < r->step->n_ranks; i++)
		if (!r->l->told || !r->l->told[r->step->rank_node[i]].facts)
			return true;
	return false;
}

/* ---- the table ---- */

static void put_slot(struct step_facts *f, size_t i)
{
	size_t at = f->v[i].hash & (f->n_slots - 1);

	while (f->slot[at])
		at = (at + 1) & (f->n_slots - 1);
	f->slot[at] = (uint32_t)i + 1;
}

static void grow_slots(struct step_facts *f)
{
	f->n_slots = f->n_slots ? 2 * f->n_slots : 256;
	free(f->slot);
	f->slot = hb_alloc(f->n_slots * sizeof *f->slot);
	for (size_t i = 0; i < f->n; i++)
		put_slot(f, i);
}

/* Is it the one whose text stands in f->key? */
static bool is_it(const struct step_facts *f, const struct told *t, uint64_t hash, bool null)
{
	return t->hash == hash && t->null == null && f->text.len - t->at >= f->key.len &&
	       memcmp(f->text.data + t->at, f->key.data, f->key.len) == 0;
}

static struct told *find(const struct step_facts *f, uint64_t hash, bool null)
{
	size_t at = f->n_slots ? hash & (f->n_slots - 1) : 0;

	for (; f->n_slots && f->slot[at]; at = (at + 1) & (f->n_slots - 1)) {
		struct told *t = &f->v[f->slot[at] - 1];
		if (is_it(f, t, hash, null))
			return t;
	}
	return NULL;
}

static void remember(struct step_facts *f, uint64_t hash, bool null, size_t node)
{
	if (f->n >= REMEMBERED_MAX || f->text.len + f->key.len > REMEMBERED_TEXT)
		return;
	hb_grow(&f->v, &f->cap, f->n + 1, sizeof *f->v);
	f->v[f->n] = (struct told){
		.at = f->text.len, .hash = hash, .null = null, .first = (uint32_t)node
	};
	buf_add(&f->text, f->key.data, f->key.len);
	f->n++;
	if (2 * f->n > f->n_slots)
		grow_slots(f);
	else
		put_slot(f, f->n - 1);
}

static void add_node(struct told *t, size_t node)
{
	if (t->first == node || (t->n > 0 && t->also[t->n - 1] == node))
		return;
	hb_grow(&t->also, &t->cap, t->n + 1, sizeof *t->also);
	t->also[t->n++] = (uint32_t)node;
}

static void make_key(struct buf *key, const char *const part[4])
{
	buf_clear(key);
	for (int i = 0; i < 4; i++)
		buf_add(key, part[i] ? part[i] : "", part[i] ? strlen(part[i]) + 1 : 1);
}

/* ---- records ---- */

static json_object *record(const struct step_run *r, size_t node, const char *const part[4])
{
	char *endpoint = launch_endpoint(r->l->p.plan->nodes.v[node], part[0]);
	json_object *o = rec_fact_to_json(endpoint, part[1], part[2], part[3]);

	free(endpoint);
	step_stamp(r, o);
	return o;
}

static void write_record(struct step_run *r, json_object *o)
{
	launch_log_add(&r->l->log, LOG_RECORDS, o, RECORD_GUESS);
}

void step_fact_now(struct step_run *r, size_t node, const char *const part[4])
{
	write_record(r, record(r, node, part));
}

void step_fact(struct step_run *r, size_t node, const char *device, const char *key,
               const char *value, const char *source)
{
	const char *const part[4] = { device, key, value, source };
	const struct fact_info *info = fact_find(key);
	struct step_facts *f = r->facts;
	struct told *t;
	uint64_t hash;

	/* Nobody else tells it. */
	if (value && info && info->peers == FACT_OWN) {
		step_fact_now(r, node, part);
		return;
	}
	make_key(&f->key, part);
	hash = rng_hash(f->key.data, f->key.len);
	t = find(f, hash, !value);
	if (t) {
		add_node(t, node);
		return;
	}
	remember(f, hash, !value, node);
	write_record(r, record(r, node, part));
}

/* ---- who told it, too ---- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort_nodes(struct told *t)
{
	size_t n = 0;

	qsort(t->also, t->n, sizeof *t->also, by_number);
	for (size_t i = 0; i < t->n; i++)
		if (t->also[i] != t->first && (n == 0 || t->also[n - 1] != t->also[i]))
			t->also[n++] = t->also[i];
	t->n = n;
}

/* What stands in the text. */
static void parts_of(const struct step_facts *f, const struct told *t, const char *part[4])
{
	const char *at = f->text.data + t->at;

	for (int i = 0; i < 4; i++, at += strlen(at) + 1)
		part[i] = i == 2 && t->null ? NULL : at;
}

/* In pieces so that no record is too long. */
static void write_also(struct step_run *r, const struct told *t, const char *const part[4],
                       const struct nodeset *nodes)
{
	json_object *o = record(r, t->first, part);
	struct buf text = BUF_INIT, list = BUF_INIT;
	size_t half = nodes->n / 2;

	js_write(o, JS_PLAIN, &text);
	size_t room = text.len + STAMP < RECORD_MAX ? RECORD_MAX - text.len - STAMP : 0;
	nodeset_format(nodes, &list);
	if (list.len <= room) {
		js_set_str(o, "also", buf_text(&list));
		write_record(r, o);
	} else if (room < ALSO_LEAST || nodes->n == 1) {
		for (size_t i = 0; i < nodes->n; i++)
			write_record(r,
			             record(r,
			                    (size_t)nodeset_find(&r->l->p.plan->nodes, nodes->v[i]),
			                    part));
		js_put(o);
	} else {
		struct nodeset a = { nodes->v, half, 0 },
		               b = { nodes->v + half, nodes->n - half, 0 };
		js_put(o);
		write_also(r, t, part, &a);
		write_also(r, t, part, &b);
	}
	buf_free(&text);
	buf_free(&list);
}

void step_facts_finish(struct step_run *r)
{
	struct step_facts *f = r->facts;
	char **names = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct told *t = &f->v[i];
		const char *part[4];

		if (t->n == 0)
			continue;
		sort_nodes(t);
		hb_grow(&names, &cap, t->n, sizeof *names);
		for (size_t k = 0; k < t->n; k++)
			names[k] = r->l->p.plan->nodes.v[t->also[k]];
		const struct nodeset nodes = { names, t->n, 0 };
		parts_of(f, t, part);
		if (t->n > 0)
			write_also(r, t, part, &nodes);
		t->n = 0;
	}
	free(names);
}

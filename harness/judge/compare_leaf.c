/*
 * Which rows of pairs are compared: those over all pairs (class "remote") or those of the leaf
 * classes. A run with a topology has all of them, and so has its baseline. Where both sides know
 * the leaf classes of a key these are compared, for pairs across leaves are of another kind than
 * those within, and how many of each a node has differs from night to night; else the rows over all
 * pairs are. Decided here alone.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/judge/compare_rows.h"

static const char remote[] = "remote";

struct hashes {
	uint64_t *v;
	size_t n;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void settle(struct hashes *h)
{
	if (h->n)
		qsort(h->v, h->n, sizeof(*h->v), by_value);
}

static bool has(const struct hashes *h, uint64_t key)
{
	return h->n && bsearch(&key, h->v, h->n, sizeof(*h->v), by_value);
}

static uint64_t mix(uint64_t h, const char *text)
{
	return (h ^ rng_hash(text, strlen(text))) * 0x100000001b3u;
}

/* Of all in a key but its endpoint class. */
static uint64_t hash_key(const struct key *k)
{
	uint64_t h = mix(k->bytes, k->bench);

	h = mix(mix(mix(h, k->metric), k->opts), k->hw);
	return h * 31 + (uint64_t)k->nodes * 4096 + (uint64_t)k->rpn;
}

static uint64_t hash_row(const struct verdict_row *v)
{
	return mix(hash_key(v->key) + (uint64_t)v->row->kind, v->subject);
}

/* What is known of leaf classes: keys of both sides, and rows of the new one. */
struct known {
	struct hashes new, old, old_remote, rows;
};

static void find_known(const struct baseline *b, const struct compare_set *set, struct known *out)
{
	*out = (struct known){ 0 };
	out->new.v = hb_alloc((set->n + 1) * sizeof(uint64_t));
	out->rows.v = hb_alloc((set->n + 1) * sizeof(uint64_t));
	out->old.v = hb_alloc((b->n_entries + 1) * sizeof(uint64_t));
	out->old_remote.v = hb_alloc((b->n_entries + 1) * sizeof(uint64_t));
	for (size_t i = 0; i < set->n; i++) {
		if (!key_of_leaf(set->rows[i].key))
			continue;
		out->new.v[out->new.n++] = hash_key(set->rows[i].key);
		out->rows.v[out->rows.n++] = hash_row(&set->rows[i]);
	}
	for (size_t i = 0; i < b->n_entries; i++) {
		const struct key *k = &b->entries[i].key;
		struct hashes *to = key_of_leaf(k) ? &out->old : &out->old_remote;
		if (to == &out->old || strcmp(k->class_, remote) == 0)
			to->v[to->n++] = hash_key(k);
	}
	settle(&out->new);
	settle(&out->rows);
	settle(&out->old);
	settle(&out->old_remote);
}

static void known_free(struct known *k)
{
	free(k->new.v);
	free(k->rows.v);
	free(k->old.v);
	free(k->old_remote.v);
}

/* A row over all pairs stays where its subject has none of leaf classes: what it lacks is told by
 * it. */
static bool stays(const struct known *k, const struct verdict_row *v)
{
	if (key_of_leaf(v->key))
		return has(&k->old, hash_key(v->key));
	return strcmp(v->key->class_, remote) != 0 || !has(&k->old, hash_key(v->key)) ||
	       !has(&k->rows, hash_row(v));
}

enum leaf_gap compare_leaves(const struct baseline *b, struct compare_set *set)
{
	enum leaf_gap gap = LEAVES_ALIKE;
	struct known k;
	size_t kept = 0;

	find_known(b, set, &k);
	for (size_t i = 0; i < set->n; i++) {
		const struct verdict_row *v = &set->rows[i];
		uint64_t key = hash_key(v->key);
		bool of_pairs = strcmp(v->key->class_, remote) == 0;
		if (of_pairs && has(&k.old, key) && !has(&k.new, key))
			gap = LEAVES_OLD;
		if (key_of_leaf(v->key) && !has(&k.old, key) && has(&k.old_remote, key))
			gap = LEAVES_NEW;
		if (!stays(&k, v))
			continue;
		set->rows[kept] = set->rows[i];
		set->tests[kept++] = set->tests[i];
	}
	set->n = kept;
	known_free(&k);
	return gap;
}

size_t *compare_stand_ins(const struct baseline *b)
{
	size_t *v = hb_alloc((b->n_entries + 1) * sizeof(*v)), near = 0;

	for (size_t i = 0; i < b->n_entries; i++) {
		const struct base_entry *e = &b->entries[i];
		struct key k;
		v[i] = i;
		if (!key_of_leaf(&e->key))
			continue;
		key_copy(&e->key, &k);
		free(k.class_);
		k.class_ = hb_strdup(remote);
		key_make(&k);
		size_t at = baseline_find_near(b, k.text, e->kind, near);
		key_free(&k);
		if (at == SIZE_MAX)
			continue;
		v[i] = near = at;
	}
	return v;
}

#include "bench/base/json_keys.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

static int hex_value(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

long json_hex4(const unsigned char *p, const unsigned char *end)
{
	long v = 0;
	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int d = hex_value(p[i]);
		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

/* Gives a key's decoded bytes one by one. */
struct reader {
	const unsigned char *p, *end;
	unsigned char ready[4];
	int n, at;
};

static void put_utf8(struct reader *r, unsigned long v)
{
	r->at = 0;
	if (v < 0x80) {
		r->ready[0] = (unsigned char)v;
		r->n = 1;
		return;
	}
	r->n = v < 0x800 ? 2 : v < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (int i = r->n - 1; i > 0; i--) {
		r->ready[i] = (unsigned char)(0x80 | (v & 0x3f));
		v >>= 6;
	}
	r->ready[0] = (unsigned char)(lead[r->n] | v);
}

/* The next decoded byte, or -1. The escapes were checked before. */
static int next_byte(struct reader *r)
{
	if (r->at < r->n)
		return r->ready[r->at++];
	if (r->p == r->end)
		return -1;
	if (*r->p != '\\')
		return *r->p++;
	unsigned char kind = r->p[1];
	if (kind != 'u') {
		static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
		const char *found = strchr(from, kind);
		r->p += 2;
		return found ? to[found - from] : kind;
	}
	unsigned long v = (unsigned long)json_hex4(r->p + 2, r->end);
	r->p += 6;
	if (v >= 0xd800 && v <= 0xdbff) {
		v = 0x10000 + ((v - 0xd800) << 10) + (unsigned long)json_hex4(r->p + 2, r->end) -
		    0xdc00;
		r->p += 6;
	}
	put_utf8(r, v);
	return r->ready[r->at++];
}

void json_key_decode(const struct json_key *key, struct buf *out)
{
	struct reader r = { key->p, key->p + key->len, { 0 }, 0, 0 };
	for (int c = next_byte(&r); c >= 0; c = next_byte(&r))
		buf_putc(out, (char)c);
}

static int compare(const struct json_key *a, const struct json_key *b)
{
	if (!a->escaped && !b->escaped) {
		if (a->len != b->len)
			return a->len < b->len ? -1 : 1;
		return memcmp(a->p, b->p, a->len);
	}
	/* Same order as above: shorter first, which needs the decoded lengths. */
	struct reader ra = { a->p, a->p + a->len, { 0 }, 0, 0 };
	struct reader rb = { b->p, b->p + b->len, { 0 }, 0, 0 };
	int differ = 0, ca, cb;
	do {
		ca = next_byte(&ra);
		cb = next_byte(&rb);
		if (differ == 0 && ca >= 0 && cb >= 0)
			differ = ca - cb;
	} while (ca >= 0 && cb >= 0);
	if ((ca >= 0) != (cb >= 0))
		return ca >= 0 ? 1 : -1;
	return differ;
}

static int order(const void *a, const void *b)
{
	const struct json_key *ka = a, *kb = b;
	int by_text = compare(ka, kb);
	if (by_text)
		return by_text;
	return ka->p < kb->p ? -1 : ka->p > kb->p;
}

/* Differs for most keys that differ, and costs three loads. Of use only without escapes. */
static uint32_t sketch(const struct json_key *key)
{
	if (!key->len)
		return 0;
	return key->len | (uint32_t)key->p[0] << 24 | (uint32_t)key->p[key->len - 1] << 16 |
	       (uint32_t)key->p[key->len / 2] << 8;
}

void json_keys_start(struct json_keys *set)
{
	/* Not the whole array: this runs once an object. */
	set->large = NULL;
	set->n = set->cap = 0;
	set->seen = 0;
	set->escaped = false;
}

bool json_keys_add(struct json_keys *set, const struct json_key *key)
{
	if (set->n >= JSON_KEYS_SMALL) {
		hb_grow(&set->large, &set->cap, set->n + 1, sizeof(*set->large));
		if (set->n == JSON_KEYS_SMALL)
			memcpy(set->large, set->small, sizeof(set->small));
		set->large[set->n++] = *key;
		return true;
	}
	uint32_t hash = sketch(key);
	uint64_t bit = UINT64_C(1) << ((hash * UINT32_C(0x9e3779b1)) >> 26);
	set->escaped = set->escaped || key->escaped;
	if (set->escaped || (set->seen & bit))
		for (size_t i = 0; i < set->n; i++)
			if ((set->escaped || set->sketch[i] == hash) &&
			    compare(&set->small[i], key) == 0)
				return false;
	set->seen |= bit;
	set->sketch[set->n] = hash;
	set->small[set->n++] = *key;
	return true;
}

const struct json_key *json_keys_repeated(struct json_keys *set)
{
	const struct json_key *first = NULL;
	if (!set->large)
		return NULL;
	qsort(set->large, set->n, sizeof(*set->large), order);
	for (size_t i = 1; i < set->n; i++) {
		const struct json_key *k = &set->large[i];
		if (compare(k - 1, k) == 0 && (!first || k->p < first->p))
			first = k;
	}
	return first;
}

void json_keys_free(struct json_keys *set)
{
	free(set->large);
	set->large = NULL;
}

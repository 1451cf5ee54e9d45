#include "harness/store/store_verify_lines.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/base/mem.h"

struct reading {
	void (*take)(void *ctx, const struct line *l);
	void *ctx;
};

static int give(void *ctx, const struct line *l, struct hb_err *none)
{
	struct reading *r = ctx;

	(void)none;
	r->take(r->ctx, l);
	return HB_OK;
}

const char *line_wrong(const struct line *l)
{
	if (!l->text)
		return "longer than a line may be";
	return l->cut ? "cut before its end" : NULL;
}

int verify_lines(const char *path, void (*take)(void *ctx, const struct line *l), void *ctx,
                 bool *missing, struct hb_err *err)
{
	struct reading r = { take, ctx };
	struct stat st;
	bool there = lstat(path, &st) == 0;
	int why = there && !S_ISLNK(st.st_mode) ? 0 : there ? ELOOP : errno;

	if (missing)
		*missing = why == ENOENT;
	if (why)
		return missing && *missing
		               ? HB_OK
		               : hb_fail(err, HB_E_IO, "cannot read %s: %s", path, strerror(why));
	return lines_read(path, JS_LINE_MAX, give, &r, err);
}

uint64_t id_hash(uint64_t begin, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = begin ^ 0xcbf29ce484222325u;
	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	/* Mixed, so that the low bits, which choose the place, depend on all of it. */
	h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
	h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
	return h ^ (h >> 32);
}

/* Puts id into a table of cap places, a power of two; false: it is there. 0 marks an empty one. */
static bool put(uint64_t *v, size_t cap, uint64_t id)
{
	size_t i = (size_t)id & (cap - 1);
	while (v[i] && v[i] != id)
		i = (i + 1) & (cap - 1);
	if (v[i] == id)
		return false;
	v[i] = id;
	return true;
}

bool id_set_add(struct id_set *s, uint64_t id)
{
	id = id ? id : 1;
	if (s->n >= ID_SET_MAX)
		return true;
	if (2 * (s->n + 1) > s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 1024;
		uint64_t *v = hb_alloc(cap * sizeof(*v));
		for (size_t i = 0; i < s->cap; i++)
			if (s->v[i])
				put(v, cap, s->v[i]);
		free(s->v);
		s->v = v;
		s->cap = cap;
	}
	bool is_new = put(s->v, s->cap, id);
	s->n += is_new;
	return is_new;
}

void id_set_free(struct id_set *s)
{
	free(s->v);
	*s = (struct id_set){ 0 };
}

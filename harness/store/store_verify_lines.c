#include "harness/store/store_verify_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"

enum { CHUNK = 64 * 1024 };

struct reading {
	void (*take)(void *ctx, const struct line *l);
	void *ctx;
	struct line l;
	bool skipping; /* the rest of a line that is too long */
};

static void give(struct reading *r, const char *text, size_t len, const char *wrong)
{
	r->l = (struct line){ text, len, r->l.number + 1, wrong };
	r->take(r->ctx, &r->l);
}

/* Gives the whole lines of in; what is left stays for more. */
static void give_lines(struct reading *r, struct buf *in)
{
	size_t at = 0;
	for (;;) {
		const char *start = in->data + at;
		const char *nl = at < in->len ? memchr(start, '\n', in->len - at) : NULL;
		if (!nl)
			break;
		if (r->skipping)
			r->skipping = false;
		else if (nl - start > JS_LINE_MAX)
			give(r, NULL, 0, "longer than a line may be");
		else
			give(r, start, (size_t)(nl - start), NULL);
		at = (size_t)(nl - in->data) + 1;
	}
	buf_drop(in, at);
	if (in->len <= JS_LINE_MAX)
		return;
	if (!r->skipping)
		give(r, NULL, 0, "longer than a line may be");
	r->skipping = true;
	buf_clear(in);
}

static int fail(const char *path, const char *why, struct hb_err *err)
{
	return hb_fail(err, HB_E_IO, "cannot read %s: %s", path, why);
}

int verify_lines(const char *path, void (*take)(void *ctx, const struct line *l), void *ctx,
                 bool *missing, struct hb_err *err)
{
	struct reading r = { .take = take, .ctx = ctx };
	struct buf in = BUF_INIT;
	struct stat st;
	char *chunk;
	int rc = HB_OK, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (missing)
		*missing = fd < 0 && errno == ENOENT;
	if (fd < 0)
		return missing && *missing ? HB_OK : fail(path, strerror(errno), err);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return fail(path, "not a regular file", err);
	}
	chunk = hb_alloc(CHUNK);
	for (;;) {
		ssize_t n = read(fd, chunk, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = fail(path, strerror(errno), err);
		if (n <= 0)
			break;
		buf_add(&in, chunk, (size_t)n);
		give_lines(&r, &in);
	}
	if (rc == HB_OK && in.len && !r.skipping)
		give(&r, in.data, in.len, "cut before its end");
	close(fd);
	free(chunk);
	buf_free(&in);
	return rc;
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

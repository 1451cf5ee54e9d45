/* Host files: what Open MPI, MPICH and PBS call so. Untrusted text. */
#include <string.h>

#include "bench/base/mem.h"
#include "harness/launch/launch_mpirun.h"

enum { FILE_MAX = 16 * 1024 * 1024 };

struct host {
	const char *name; /* in the text */
	size_t len, place;
	int line;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '-' || c == '_';
}

/* ":4" and words like "slots=4" or "max_slots = 8"; how many ranks run the suite says. */
static bool is_rest(const char *p, const char *end)
{
	bool equals = false;

	if (p < end && *p == ':') {
		const char *digits = ++p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == digits)
			return false;
	}
	if (p == end)
		return true;
	if (!is_blank(*p))
		return false;
	for (; p < end; p++) {
		equals = equals || *p == '=';
		if (!is_name_char(*p) && !is_blank(*p) && !strchr("=,:+@/", *p))
			return false;
	}
	return equals;
}

static int bad_line(const char *what, int line, const char *p, size_t len, struct hb_err *err)
{
	char shown[64];
	size_t n = len < sizeof shown - 1 ? len : sizeof shown - 1;

	for (size_t i = 0; i < n; i++)
		shown[i] = (char)(p[i] < ' ' || p[i] > '~' ? '?' : p[i]);
	shown[n] = '\0';
	return hb_fail(err, HB_E_FORMAT,
	               "%.120s: line %d: '%s': want a host name, 'name slots=N' or 'name:N'", what,
	               line, shown);
}

static int take_line(const char *p, size_t len, const char *what, struct host *h,
                     struct hb_err *err)
{
	const char *end = memchr(p, '#', len), *start = p;

	end = end ? end : p + len;
	while (end > p && is_blank(end[-1]))
		end--;
	while (p < end && is_blank(*p))
		p++;
	h->name = p;
	while (p < end && is_name_char(*p))
		p++;
	h->len = (size_t)(p - h->name);
	if (h->name == end)
		return HB_OK;
	if (h->len == 0 || h->len > NODESET_NAME_MAX || strchr("-.", *h->name) ||
	    (p < end && !is_rest(p, end)))
		return bad_line(what, h->line, start, len, err);
	return HB_OK;
}

static int by_name(const void *a, const void *b)
{
	const struct host *x = a, *y = b;
	int c = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	if (c != 0)
		return c;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
	const struct host *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* Keeps the first of each name, in the file's order; returns how many there are. */
static size_t keep_firsts(struct host *v, size_t n)
{
	size_t k = 0;

	if (n == 0)
		return 0;
	qsort(v, n, sizeof *v, by_name);
	for (size_t i = 0; i < n; i++) {
		bool same = k > 0 && v[k - 1].len == v[i].len &&
		            memcmp(v[k - 1].name, v[i].name, v[i].len) == 0;
		if (!same)
			v[k++] = v[i];
	}
	qsort(v, k, sizeof *v, by_place);
	return k;
}

static int to_nodes(const struct host *v, size_t n, const char *what, struct nodeset *out,
                    struct hb_err *err)
{
	int rc = HB_OK;

	if (n > NODESET_MAX)
		return hb_fail(err, HB_E_FORMAT, "%.120s: more than %d hosts", what, NODESET_MAX);
	if (n == 0)
		return hb_fail(err, HB_E_FORMAT, "%.120s: no host in it", what);
	for (size_t i = 0; i < n && rc == HB_OK; i++) {
		char *name = hb_strndup(v[i].name, v[i].len);
		rc = nodeset_add(out, name, err);
		free(name);
	}
	if (rc != HB_OK)
		nodeset_free(out);
	return rc;
}

int mpirun_hosts_parse(const char *text, size_t len, const char *what, struct nodeset *out,
                       struct hb_err *err)
{
	const char *end = text + len;
	struct host *v = NULL, h = { .line = 0 };
	size_t n = 0, cap = 0;
	int rc = HB_OK;

	*out = (struct nodeset){ 0 };
	while (text < end && rc == HB_OK) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((stop ? stop : end) - text);
		h.line++;
		rc = take_line(text, line, what, &h, err);
		if (rc == HB_OK && h.len > 0) {
			hb_grow(&v, &cap, n + 1, sizeof *v);
			h.place = n;
			v[n++] = h;
		}
		text += line + (stop != NULL);
	}
	if (rc == HB_OK)
		rc = to_nodes(v, keep_firsts(v, n), what, out, err);
	free(v);
	return rc;
}

int mpirun_hosts_read(const char *path, struct nodeset *out, struct hb_err *err)
{
	struct buf text = BUF_INIT;
	int rc = buf_read_file(&text, path, FILE_MAX, err);

	*out = (struct nodeset){ 0 };
	if (rc == HB_OK)
		rc = mpirun_hosts_parse(buf_text(&text), text.len, path, out, err);
	buf_free(&text);
	return rc;
}

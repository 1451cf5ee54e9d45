/* Reading back from samples.jsonl what the index of report_explain_read.c found there. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/report/report_explain.h"

/* The figures of one line of samples.jsonl behind the n that are there. */
static void add_values(const char *line, size_t len, double **v, size_t *n, size_t *cap)
{
	struct js_at at = JS_AT_TOP("samples.jsonl");
	json_object *o = NULL, *list = NULL;
	if (js_parse(line, len, "samples.jsonl", &o, NULL) == HB_OK &&
	    js_get_arr(o, &at, "v", JS_OPTIONAL, &list, NULL) == HB_OK && list) {
		size_t more = json_object_array_length(list);
		for (size_t i = 0; i < more && *n < EXPLAIN_VALUES_MAX; i++) {
			json_object *x = json_object_array_get_idx(list, i);
			if (!json_object_is_type(x, json_type_double) &&
			    !json_object_is_type(x, json_type_int))
				continue;
			hb_grow(v, cap, *n + 1, sizeof **v);
			(*v)[(*n)++] = json_object_get_double(x);
		}
	}
	js_put(o);
}

int explain_samples(const struct explain *e, size_t attempt, double **v, size_t *n, bool *all,
                    struct hb_err *err)
{
	char *path = hb_format("%s/samples.jsonl", e->dir), *line = hb_alloc(JS_LINE_MAX + 1);
	size_t cap = 0, lo = 0, hi = e->n_chunks;
	int rc = HB_OK, fd = -1;
	*v = NULL;
	*n = 0;
	*all = true;
	while (lo < hi) { /* the first chunk of the attempt */
		size_t mid = lo + (hi - lo) / 2;
		if (e->chunks[mid].attempt < attempt)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; rc == HB_OK && i < e->n_chunks && e->chunks[i].attempt == attempt;
	     i++) {
		const struct explain_chunk *c = &e->chunks[i];
		if (i > lo && c->seq == e->chunks[i - 1].seq)
			continue; /* it came twice: the first one counts */
		if (fd < 0 && (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
			rc = hb_fail(err, HB_E_IO, "cannot read %s: %s", path, strerror(errno));
		else if (pread(fd, line, c->len, (off_t)c->offset) != (ssize_t)c->len)
			rc = hb_fail(err, HB_E_IO, "cannot read %s: it changed meanwhile", path);
		else
			add_values(line, c->len, v, n, &cap);
		*all = *all && c->all;
	}
	if (fd >= 0)
		close(fd);
	free(line);
	free(path);
	return rc;
}

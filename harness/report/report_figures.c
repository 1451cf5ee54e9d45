/* What a run measured: one table a benchmark, one line a key. */
#include <math.h>

#include "bench/base/mem.h"
#include "bench/base/rng.h"
#include "harness/report/report_parts.h"

enum { LINES_SHOWN = 64 };

/*
 * A main row and its place: sorted so that equal keys meet, then put back into the order of first
 * appearance. The hash comes first, since keys are long and mostly alike.
 */
struct indexed {
	const struct summary_row *row;
	uint64_t hash; /* of its key */
	size_t at;
};

static int by_key(const void *a, const void *b)
{
	const struct indexed *x = a, *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	int c = strcmp(x->row->key.text, y->row->key.text);
	return c ? c : x->at < y->at ? -1 : x->at > y->at;
}

/* The rows of one key: what stands in one line. */
struct line {
	const struct indexed *rows;
	size_t n;
};

/* What is judged first; the metrics that are only shown stand below it. */
static int by_place(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	bool jx = x->rows[0].row->judged, jy = y->rows[0].row->judged;
	if (jx != jy)
		return jx ? -1 : 1;
	return x->rows[0].at < y->rows[0].at ? -1 : x->rows[0].at > y->rows[0].at;
}

static bool usable(const struct summary_row *r)
{
	return r->quality == ROW_OK && isfinite(r->value) && r->value > 0.0;
}

/* The figure that stands for the key: the cluster's, else the only subject's, else the median. */
static const struct summary_row *chosen(const struct line *l, double *value, size_t *subjects,
                                        const struct summary_row **slowest)
{
	const struct summary_row *cluster = NULL, *first = NULL;
	double *values = hb_alloc(l->n * sizeof *values);
	*subjects = 0;
	*slowest = NULL;
	for (size_t i = 0; i < l->n; i++) {
		const struct summary_row *r = l->rows[i].row;
		if (!usable(r))
			continue;
		if (r->kind == SUBJECT_CLUSTER) {
			cluster = r;
			continue;
		}
		first = first ? first : r;
		values[(*subjects)++] = r->value;
		if (!*slowest || summary_y(r) < summary_y(*slowest))
			*slowest = r;
	}
	*value = cluster ? cluster->value : stat_median(values, *subjects);
	free(values);
	return cluster ? cluster : first;
}

static double half_of(const struct summary_row *r)
{
	return (r->hi - r->lo) / 2.0 / r->value; /* NaN stays NaN */
}

static uint64_t samples_of(const struct line *l)
{
	uint64_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		n += usable(l->rows[i].row) ? l->rows[i].row->n : 0;
	return n;
}

static void put_line(struct doc *d, const struct report_names *names, const struct line *l)
{
	double value;
	size_t subjects;
	const struct summary_row *slowest, *shown = chosen(l, &value, &subjects, &slowest);
	const struct summary_row *any = l->rows[0].row;
	struct buf text = BUF_INIT;
	char size[REPORT_TEXT];
	info_size_text(any->key.bench, any->key.bytes, size, sizeof size);
	doc_cell(d, DOC_PLAIN, "%s", size);
	report_variant(names, &any->key, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	report_class(&any->key, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	bool one = shown && (subjects <= 1 || shown->kind == SUBJECT_CLUSTER);
	if (one || (!shown && l->n == 1))
		doc_cell(d, DOC_PLAIN, "%s", shown ? shown->subject : any->subject);
	else
		doc_cell(d, DOC_PLAIN, "%s %zu", shown ? "median of" : "all",
		         shown ? subjects : l->n);
	if (!shown) {
		doc_cell(d, any->quality == ROW_INVALID ? DOC_BAD : DOC_WARN, "%s",
		         row_quality_name(any->quality));
		for (int i = 0; i < 2; i++)
			doc_cell(d, DOC_PLAIN, "%s", "");
		buf_free(&text);
		return;
	}
	report_figure(shown->unit, value, one ? half_of(shown) : NAN, &text);
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_clear(&text);
	doc_cell(d, DOC_PLAIN, "%llu", (unsigned long long)(one ? shown->n : samples_of(l)));
	if (slowest && subjects > 1) {
		buf_printf(&text, "%s ", slowest->subject);
		report_figure(slowest->unit, slowest->value, NAN, &text);
	}
	doc_cell(d, DOC_PLAIN, "%s", buf_text(&text));
	buf_free(&text);
}

/* Are the figures of this benchmark scores over pairs? Then that is what is counted. */
static bool of_pairs(const struct line *lines, size_t n, const char *bench)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lines[i].n; k++)
			if (lines[i].rows[k].row->pairs > 0 &&
			    strcmp(lines[i].rows[k].row->key.bench, bench) == 0)
				return true;
	return false;
}

/* Lines of one benchmark, from the first of it on; marks them as shown by clearing n. */
static void put_bench(struct doc *d, const struct report_names *names, struct line *lines, size_t n)
{
	const char *bench = lines[0].rows[0].row->key.bench;
	const char *const titles[] = { ">size",   "what",
		                       "class",   "subject",
		                       ">figure", of_pairs(lines, n, bench) ? ">pairs" : ">samples",
		                       "slowest", NULL };
	size_t shown = 0, left = 0;
	doc_heading(d, 2, "%s", bench);
	doc_table(d, titles);
	for (size_t i = 0; i < n; i++) {
		if (lines[i].n == 0 || strcmp(lines[i].rows[0].row->key.bench, bench) != 0)
			continue;
		if (shown < LINES_SHOWN)
			put_line(d, names, &lines[i]);
		left += shown++ >= LINES_SHOWN;
		lines[i].n = 0;
	}
	if (left)
		doc_text(d, DOC_DIM, "and %zu more; --json has all", left);
}

void report_figures(struct doc *d, const struct summary *s, const struct report_names *names)
{
	struct indexed *rows = hb_alloc((s->n_rows + 1) * sizeof *rows);
	struct line *lines = hb_alloc((s->n_rows + 1) * sizeof *lines);
	size_t n = 0;
	for (size_t i = 0; i < s->n_rows; i++) {
		const char *key = s->rows[i].key.text;
		rows[i] = (struct indexed){ &s->rows[i], rng_hash(key, strlen(key)), i };
	}
	qsort(rows, s->n_rows, sizeof *rows, by_key);
	for (size_t i = 0; i < s->n_rows; i++) {
		if (i == 0 || strcmp(rows[i].row->key.text, rows[i - 1].row->key.text) != 0)
			lines[n++] = (struct line){ &rows[i], 0 };
		lines[n - 1].n++;
	}
	qsort(lines, n, sizeof *lines, by_place);
	for (size_t i = 0; i < n; i++)
		if (lines[i].n)
			put_bench(d, names, &lines[i], n - i);
	free(lines);
	free(rows);
}

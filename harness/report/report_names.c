/* How keys are called in reports: as short as the document's other keys allow. */
#include "bench/base/mem.h"
#include "harness/report/report_parts.h"

/* Options of one benchmark seen so far: distinct texts, and what differs among them. */
struct seen {
	char *bench;
	char **opts; /* distinct canonical texts */
	size_t n_opts, cap_opts;
	json_object *first;  /* option -> its first value */
	json_object *varies; /* option -> true */
	char *hw;            /* of the first cluster-wide key; NULL: none yet */
	bool hw_varies;
};

struct report_names {
	struct seen *v;
	size_t n, cap;
};

struct report_names *report_names_new(void)
{
	return hb_alloc(sizeof(struct report_names));
}

void report_names_free(struct report_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->n; i++) {
		struct seen *s = &names->v[i];
		for (size_t j = 0; j < s->n_opts; j++)
			free(s->opts[j]);
		free(s->opts);
		free(s->bench);
		free(s->hw);
		js_put(s->first);
		js_put(s->varies);
	}
	free(names->v);
	free(names);
}

static struct seen *find(const struct report_names *names, const char *bench)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->v[i].bench, bench) == 0)
			return &names->v[i];
	return NULL;
}

static struct seen *find_or_add(struct report_names *names, const char *bench)
{
	struct seen *s = find(names, bench);
	if (s)
		return s;
	hb_grow(&names->v, &names->cap, names->n + 1, sizeof *names->v);
	s = &names->v[names->n++];
	*s = (struct seen){ .bench = hb_strdup(bench),
		            .first = json_object_new_object(),
		            .varies = json_object_new_object() };
	return s;
}

/* Options as an object; NULL if the text is not one. */
static json_object *parse_opts(const char *text)
{
	json_object *o = NULL;
	if (!text || js_parse(text, strlen(text), "opts", &o, NULL) != HB_OK)
		return NULL;
	if (json_object_is_type(o, json_type_object))
		return o;
	js_put(o);
	return NULL;
}

static bool opts_known(struct seen *s, const char *opts)
{
	for (size_t i = s->n_opts; i > 0; i--)
		if (strcmp(s->opts[i - 1], opts) == 0)
			return true;
	hb_grow(&s->opts, &s->cap_opts, s->n_opts + 1, sizeof *s->opts);
	s->opts[s->n_opts++] = hb_strdup(opts);
	return false;
}

static void note_opts(struct seen *s, const char *text)
{
	json_object *o = parse_opts(text);
	if (!o)
		return;
	json_object_object_foreach(o, name, value)
	{
		json_object *first = NULL;
		if (json_object_object_get_ex(s->first, name, &first)) {
			if (!json_object_equal(first, value))
				js_set_bool(s->varies, name, true);
			continue;
		}
		/* One that the texts before did not have differs from them by being there. */
		if (s->n_opts > 1)
			js_set_bool(s->varies, name, true);
		json_object_object_add(s->first, name, json_object_get(value));
	}
	js_put(o);
}

void report_names_add(struct report_names *names, const struct key *k)
{
	struct seen *s = find_or_add(names, k->bench);
	if (k->opts && !opts_known(s, k->opts))
		note_opts(s, k->opts);
	if (!k->hw)
		return;
	if (!s->hw)
		s->hw = hb_strdup(k->hw);
	else if (!s->hw_varies && strcmp(s->hw, k->hw) != 0)
		s->hw_varies = true;
}

/* The metric without its unit's suffix, unless it is the benchmark's headline. */
static void put_metric(const struct key *k, struct buf *out)
{
	const struct bench_info *info = catalog_find(k->bench);
	if (!k->metric || (info && info->metrics && info->metrics[0].name &&
	                   strcmp(info->metrics[0].name, k->metric) == 0))
		return;
	static const char *const units[] = { "_per_s", "_ns", "_Bps" };
	size_t len = strlen(k->metric);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t n = strlen(units[i]);
		if (len > n && strcmp(k->metric + len - n, units[i]) == 0) {
			len -= n;
			break;
		}
	}
	buf_putc(out, ' ');
	buf_add(out, k->metric, len);
}

static void put_options(const struct seen *s, const struct key *k, struct buf *out)
{
	if (json_object_object_length(s->varies) == 0)
		return;
	json_object *o = parse_opts(k->opts);
	if (!o)
		return;
	json_object_object_foreach(o, name, value)
	{
		if (json_object_object_get_ex(s->varies, name, NULL))
			buf_printf(out, " %s=%s", name, report_json_text(value));
	}
	js_put(o);
}

void report_variant(const struct report_names *names, const struct key *k, struct buf *out)
{
	const struct seen *s = find(names, k->bench);
	struct buf text = BUF_INIT;
	put_metric(k, &text);
	if (s)
		put_options(s, k, &text);
	buf_puts(out, text.len ? text.data + 1 : "");
	buf_free(&text);
}

void report_name(const struct report_names *names, const struct key *k, struct buf *out)
{
	struct buf variant = BUF_INIT;
	report_variant(names, k, &variant);
	buf_printf(out, "%s%s%s", k->bench, variant.len ? " " : "", buf_text(&variant));
	buf_free(&variant);
}

void report_class(const struct key *k, struct buf *out)
{
	buf_puts(out, k->class_ ? k->class_ : "");
	if ((long)k->nodes * k->rpn > 2)
		buf_printf(out, " %dx%d", k->nodes, k->rpn);
}

struct report_names *report_names_of(const struct verdicts *v)
{
	struct report_names *names = report_names_new();
	for (size_t i = 0; i < v->n; i++)
		report_names_add(names, v->rows[i].key);
	return names;
}

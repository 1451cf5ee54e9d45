/* Documents with hostile names in every place: what is printed drives no terminal. */
#include "reports/doc.h"
#include "tests/fuzz/fuzz.h"

static const struct doc_style styles[] = {
	{ false, 0, false }, { false, 80, false }, { false, 20, true }, { true, 100, false }
};

static struct doc *make_doc(const char *data, size_t size)
{
	static const char *const titles[] = { "subject", ">figure", "note", NULL };
	struct fuzz_part all = { data, size }, line = { "", 0 };
	char *word = fuzz_text(data, size < 40 ? size : 40);
	struct doc *d = doc_new(word);

	d->data = json_object_new_object();
	js_set_str(d->data, "name", word);
	doc_heading(d, 1, "%s", word);
	doc_table(d, titles);
	for (int i = 0; i % 3 || (i < 60 && all.len > 0); i++) {
		fuzz_next_line(&all, &line);
		char *text = fuzz_text(line.text, line.len);
		doc_cell(d, (enum doc_tone)(i % 5), "%s", text);
		free(text);
	}
	doc_heading(d, 2, "%s", word);
	doc_text(d, DOC_WARN, "%.*s", (int)line.len, line.text);
	doc_fact(d, word, "%s", word);
	doc_list_item(d, "%s", word);
	doc_list_item(d, "%.*s", (int)line.len, line.text);
	free(word);
	return d;
}

static void check_clean_text(const char *data, size_t size)
{
	char *text = fuzz_text(data, size), *cut;
	struct buf out = BUF_INIT;

	doc_clean(text, &out);
	fuzz_check_clean(buf_text(&out), out.len, false);
	for (size_t max = 3; max < 300; max += 59) {
		cut = doc_clip(text, max);
		fuzz_check_clean(cut, strlen(cut), false);
		FUZZ_CHECK(doc_width(cut) <= max);
		free(cut);
	}
	buf_free(&out);
	free(text);
}

void fuzz_one(const char *data, size_t size)
{
	struct doc *d = make_doc(data, size);
	struct buf out = BUF_INIT;

	for (size_t f = 0; report_formats[f]; f++) {
		for (size_t i = 0; i < sizeof(styles) / sizeof(*styles); i++) {
			buf_clear(&out);
			report_formats[f]->render(d, &styles[i], &out);
			/* Colours are the only control characters, and ours. */
			if (!styles[i].color)
				fuzz_check_clean(buf_text(&out), out.len, true);
		}
	}
	check_clean_text(data, size);
	buf_free(&out);
	doc_free(d);
}

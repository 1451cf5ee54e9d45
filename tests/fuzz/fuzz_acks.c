/*
 * Acknowledgements: what is taken is written so that it reads back equal, and covers what it is
 * about. Behind a line "%%": words of the command, a subject, a benchmark and a day.
 */
#include "harness/judge/ack.h"
#include "tests/fuzz/fuzz.h"

static char *next_word(struct fuzz_part *words)
{
	struct fuzz_part line = { "", 0 };

	fuzz_next_line(words, &line);
	return fuzz_text(line.text, line.len);
}

static bool is_node(const void *ctx, const char *name)
{
	(void)ctx;
	return name[0] == 'n';
}

static void check_day(const char *text)
{
	struct hb_err err = { HB_OK, "" };
	char again[ACK_DAY_TEXT];
	int64_t day = 0, day_again = 0;

	if (!fuzz_ok(ack_day_parse(text, true, 20000, &day, &err), &err))
		return;
	ack_day_text(day, again);
	FUZZ_CHECK(ack_day_parse(again, false, 0, &day_again, &err) == HB_OK && day_again == day);
}

static void check_words(struct acks *a, struct fuzz_part words)
{
	static const struct ack_nodes nodes = { is_node, NULL };
	char *subject = next_word(&words), *bench = next_word(&words), *day = next_word(&words);
	struct ack like = { .subject = subject, .bench = *bench ? bench : NULL, .until = 20010 };
	struct hb_err err = { HB_OK, "" };

	check_day(day);
	like.made = 20000;
	like.reason = like.by = day;
	if (ack_subject_check(subject, &err) == HB_OK)
		FUZZ_CHECK(ack_covers(subject, subject, &nodes));
	acks_find(a, subject, bench, &nodes);
	acks_touch_node(a, subject);
	if (acks_add(a, &like, &err))
		FUZZ_CHECK(acks_remove(a, subject) >= 1);
	free(subject);
	free(bench);
	free(day);
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part file = fuzz_next_part(&data, &size), words = fuzz_next_part(&data, &size);
	struct hb_err err = { HB_OK, "" };
	struct buf text = BUF_INIT;
	struct acks a = { 0 }, again = { 0 };
	json_object *written;

	if (fuzz_ok(acks_parse(file.text, file.len, "input", &a, &err), &err)) {
		written = acks_to_json(&a);
		js_write(written, JS_PRETTY, &text);
		if (acks_parse(text.data, text.len, "written", &again, &err) != HB_OK)
			fuzz_broken("acks", 0, err.text);
		fuzz_check_same(acks_to_json(&again), written);
		acks_free(&again);
		buf_free(&text);
	}
	acks_set_day(&a, 20000);
	check_words(&a, words);
	acks_free(&a);
}

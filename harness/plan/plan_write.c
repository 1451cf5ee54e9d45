/*
 * The text of plan.json. Jobs are written straight from the plan, a line each: as a tree of objects
 * the pairs of a large cluster would take gigabytes, and printed for people ten lines a job.
 */
#include <string.h>

#include "bench/base/num.h"
#include "harness/plan/plan_read.h"

static void put_number(struct buf *out, const char *before, uint64_t v)
{
	char text[NUM_TEXT];
	size_t n = num_u64(v, text);

	buf_puts(out, before);
	buf_add(out, text, n);
}

static void put_text(struct buf *out, const char *before, const char *text)
{
	buf_puts(out, before);
	js_quote(out, text);
}

void plan_write_job(const struct plan_job *j, struct buf *out)
{
	put_number(out, "{\"id\":", j->id);
	put_number(out, ",\"entry\":", j->entry);
	put_text(out, ",\"phase\":", phase_name(j->phase));
	buf_puts(out, ",\"ranks\":[");
	for (int i = 0; i < j->n_ranks; i++)
		put_number(out, i ? "," : "", (uint64_t)j->ranks[i]);
	buf_putc(out, ']');
	if (j->dir)
		put_text(out, ",\"dir\":", j->dir);
	if (j->round >= 0)
		put_number(out, ",\"round\":", (uint64_t)j->round);
	if (j->alone)
		buf_puts(out, ",\"alone\":true");
	if (j->instead)
		put_number(out, ",\"instead\":", j->instead);
	put_number(out, ",\"unit\":", j->first_unit);
	put_number(out, ",\"case\":", j->first_case);
	put_number(out, ",\"cases\":", j->cases.n);
	if (j->subject) {
		put_number(out, ",\"repeat\":", (uint64_t)j->repeat);
		put_text(out, ",\"subject\":", j->subject);
		if (j->partner)
			put_text(out, ",\"partner\":", j->partner);
	}
	buf_putc(out, '}');
}

void plan_write(const struct plan *p, struct buf *out)
{
	static const char empty[] = "\"jobs\": []";
	json_object *o = plan_json_head(p, false);
	struct buf head = BUF_INIT;
	const char *from, *at;

	js_write(o, JS_PRETTY, &head);
	js_put(o);
	from = buf_text(&head);
	/* Nothing else is called jobs: in a text these quotes would be escaped. */
	for (size_t i = 0; i < p->n_steps && (at = strstr(from, empty)) != NULL; i++) {
		const struct plan_step *s = &p->steps[i];
		at += sizeof(empty) - 2;
		buf_add(out, from, (size_t)(at - from));
		for (size_t k = 0; k < s->n_jobs; k++) {
			buf_puts(out, k ? ",\n        " : "\n        ");
			plan_write_job(&s->jobs[k], out);
		}
		if (s->n_jobs > 0)
			buf_puts(out, "\n      ");
		from = at;
	}
	buf_puts(out, from);
	buf_putc(out, '\n');
	buf_free(&head);
}

/* The placeholders of messages, filled with what tests saw. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/diagnose/words.h"

/* The first test that knows it: a value, or what stands behind it. */
static const struct seen *who_knows(const struct told *t, enum rule_place place)
{
	for (size_t i = 0; i < t->h->rule->n_when; i++) {
		const struct seen *s = &t->h->seen[i];
		if (!(rule_tests[s->test->kind].places & (1u << place)))
			continue;
		bool knows = true;
		switch (place) {
		case PLACE_DEVICE: knows = s->device && *s->device; break;
		case PLACE_VALUE: knows = s->value || isfinite(s->number); break;
		case PLACE_PEERS: knows = s->peers != NULL; break;
		case PLACE_COUNT:
		case PLACE_OF: knows = s->of > 0; break;
		case PLACE_WAS: knows = s->was != NULL; break;
		case PLACE_OTHER: knows = s->other != SIZE_MAX; break;
		case PLACE_BYTES: knows = isfinite(s->bytes); break;
		case PLACE_SHARE: knows = isfinite(s->share); break;
		case PLACE_SUBJECT:
		case PLACE_NODE:
		case PLACE_KEY:
		case RULE_PLACES: break;
		}
		if (knows)
			return s;
	}
	return NULL;
}

static void put_value(const struct told *t, const struct seen *s, struct buf *out)
{
	if (t->n > 1 && seen_varies(s))
		buf_puts(out, seen_least(s) ? "down to " : "up to ");
	if (s->test->fact || !isfinite(s->number))
		fact_words(s->test->fact, s->value, out);
	else if (s->test->kind == TEST_COUNTER || s->test->kind == TEST_NOISY)
		words_number(s->number, out);
	else
		words_percent(s->number, out);
}

static void put_node(const struct told *t, struct buf *out)
{
	if (t->h->b.scope == RULE_CLUSTER)
		buf_puts(out, "the cluster");
	else if (t->h->b.scope == RULE_PAIR)
		buf_puts(out, told_node(t, t->h->b.node));
	else
		buf_puts(out, t->nodes);
}

static void put_place(const struct told *t, enum rule_place place, struct buf *out)
{
	const struct seen *s = who_knows(t, place);
	char *subject;

	if (place == PLACE_SUBJECT) {
		subject = told_subject(t);
		buf_puts(out, subject);
		free(subject);
		return;
	}
	if (place == PLACE_NODE) {
		put_node(t, out);
		return;
	}
	if (place == PLACE_DEVICE && !s) {
		buf_puts(out, told_device(t) ? told_device(t) : "the device");
		return;
	}
	if (!s) {
		buf_puts(out, "unknown");
		return;
	}
	switch (place) {
	case PLACE_DEVICE: buf_puts(out, s->device); break;
	case PLACE_KEY: buf_puts(out, s->key ? s->key : "all"); break;
	case PLACE_VALUE: put_value(t, s, out); break;
	case PLACE_PEERS: fact_words(s->test->fact, s->peers, out); break;
	case PLACE_COUNT: buf_printf(out, "%zu", s->count); break;
	case PLACE_OF: buf_printf(out, "%zu", s->of); break;
	case PLACE_WAS:
		fact_words(s->test->than_fact ? s->test->than_fact : s->test->fact, s->was, out);
		break;
	case PLACE_OTHER: told_other(t, s, out); break;
	case PLACE_BYTES: words_bytes(s->bytes, out); break;
	case PLACE_SHARE: words_percent(s->share, out); break;
	case PLACE_SUBJECT:
	case PLACE_NODE:
	case RULE_PLACES: break;
	}
}

char *told_text(const struct told *t, const char *message)
{
	struct buf out = BUF_INIT;
	const char *at = message;
	size_t len = 0;

	for (const char *p; (p = rule_place_next(at, &len)) != NULL; at = p + len) {
		buf_add(&out, at, (size_t)(p - at));
		for (int k = 0; k < RULE_PLACES; k++)
			if (strlen(rule_places[k]) == len - 2 &&
			    strncmp(rule_places[k], p + 1, len - 2) == 0)
				put_place(t, (enum rule_place)k, &out);
	}
	buf_puts(&out, at);
	return buf_detach(&out);
}

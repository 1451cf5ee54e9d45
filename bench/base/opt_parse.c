/* Option tables from the command line. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/base/opt_row.h"

/* The words of the command line: read one by one, what is not ours is written back. */
struct words {
	const struct opt *opts;
	void *dst;
	const char **argv;
	int n, next, kept;
	int *unknown;
	struct hb_err *err;
};

static void keep(struct words *w, const char *word)
{
	w->argv[w->kept++] = word;
}

static const char *placeholder(const struct opt *row)
{
	return row->arg ? row->arg : "VALUE";
}

/* Puts the option as it was written before the text; shown is "--name" or "-l". */
static int bad_value(struct words *w, int rc, const char *shown, const char *value)
{
	if (rc == HB_E_FORMAT) {
		hb_fail_in(w->err, "%s=%.80s", shown, value);
		if (w->err)
			w->err->code = HB_E_USAGE;
	}
	return HB_E_USAGE;
}

static int set_value(struct words *w, const struct opt *row, const char *shown, const char *value)
{
	int rc = opt_row_set(row, w->dst, value, w->err);
	return rc ? bad_value(w, rc, shown, value) : HB_OK;
}

/* The next word as a value. One that looks like an option is more likely a value forgotten. */
static int set_from_next(struct words *w, const struct opt *row, const char *shown)
{
	const char *value = w->next < w->n ? w->argv[w->next] : NULL;
	if (!value || strncmp(value, "--", 2) == 0)
		return hb_fail(w->err, HB_E_USAGE, "%s needs a value; write --%s=%s", shown,
		               row->name, placeholder(row));
	w->next++;
	return set_value(w, row, shown, value);
}

static int unknown_long(struct words *w, const char *word, const char *name)
{
	if (w->unknown) {
		++*w->unknown;
		keep(w, word);
		return HB_OK;
	}
	const char *nearest = opt_row_nearest(w->opts, name);
	if (nearest)
		return hb_fail(w->err, HB_E_USAGE, "unknown option --%.64s; did you mean --%s?",
		               name, nearest);
	return hb_fail(w->err, HB_E_USAGE, "unknown option --%.64s; --help lists the options",
	               name);
}

/* Takes back what was said before, in a configuration or in front: the default again. */
static int set_default(struct words *w, const struct opt *row)
{
	const struct opt one[] = { *row, { .type = OPT_END } };

	opt_row_free(row, w->dst);
	opt_defaults(one, w->dst);
	return HB_OK;
}

/* "--no-NAME", and "--NAME" for a flag that is called no-NAME. */
static const struct opt *find_negated(const struct opt *opts, const char *name)
{
	if (strncmp(name, "no-", 3) == 0)
		return opt_row_find(opts, name + 3);
	char *negative = hb_format("no-%s", name);
	const struct opt *row = opt_row_find(opts, negative);
	free(negative);
	return row && row->type == OPT_FLAG ? row : NULL;
}

/* name is what stands between the dashes and any "="; value is NULL without one. */
static int parse_long(struct words *w, const char *word, const char *name, const char *value)
{
	const struct opt *row = opt_row_find(w->opts, name);
	bool negated = false;
	if (!row) {
		row = find_negated(w->opts, name);
		negated = row != NULL;
	}
	if (!row)
		return unknown_long(w, word, name);
	if (negated && value)
		return hb_fail(w->err, HB_E_USAGE, "--%s takes no value", name);
	if (negated && row->type != OPT_FLAG)
		return set_default(w, row);
	if (row->type == OPT_FLAG && !value)
		return set_value(w, row, name, negated ? "no" : "yes");
	char *shown = hb_format("--%s", name);
	int rc = value ? set_value(w, row, shown, value) : set_from_next(w, row, shown);
	free(shown);
	return rc;
}

static int parse_long_word(struct words *w, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
	char *name = hb_strndup(word + 2, n);
	int rc = parse_long(w, word, name, equals ? equals + 1 : NULL);
	free(name);
	return rc;
}

static const struct opt *find_letter(const struct opt *opts, char letter)
{
	for (const struct opt *row = opts; row->type != OPT_END; row++)
		if (opt_row_is_option(row) && row->letter && row->letter == letter)
			return row;
	return NULL;
}

/* The first letter of a word like -qv or -qfVALUE that is none of ours, or 0. */
static char unknown_letter(const struct words *w, const char *word)
{
	for (const char *p = word + 1; *p; p++) {
		const struct opt *row = find_letter(w->opts, *p);
		if (!row)
			return *p;
		if (row->type != OPT_FLAG)
			return 0;
	}
	return 0;
}

static int parse_letters(struct words *w, const char *word)
{
	char stranger = unknown_letter(w, word);
	if (stranger && w->unknown) {
		++*w->unknown;
		keep(w, word);
		return HB_OK;
	}
	if (stranger)
		return hb_fail(w->err, HB_E_USAGE, "unknown option -%c; --help lists the options",
		               stranger);
	for (const char *p = word + 1; *p; p++) {
		const struct opt *row = find_letter(w->opts, *p);
		char shown[] = { '-', *p, '\0' };
		int rc;
		if (!row)
			break;
		if (row->type != OPT_FLAG)
			return p[1] ? set_value(w, row, shown, p + 1)
			            : set_from_next(w, row, shown);
		rc = set_value(w, row, shown, "yes");
		if (rc)
			return rc;
	}
	return HB_OK;
}

/* Keeps everything that is left. */
static void keep_rest(struct words *w)
{
	while (w->next < w->n)
		keep(w, w->argv[w->next++]);
}

int opt_parse(const struct opt *opts, void *dst, int *argc, const char **argv, int *unknown,
              struct hb_err *err)
{
	struct words w = { opts, dst, argv, *argc, 1, 1, unknown, err };
	int rc = HB_OK;
	if (unknown)
		*unknown = 0;
	while (w.next < w.n && !rc) {
		const char *word = w.argv[w.next++];
		if (strcmp(word, "--") == 0) {
			/* Whoever parses the rest must see it too. */
			if (unknown)
				keep(&w, word);
			break;
		}
		if (word[0] != '-' || word[1] == '\0')
			keep(&w, word);
		else if (word[1] == '-')
			rc = parse_long_word(&w, word);
		else
			rc = parse_letters(&w, word);
	}
	keep_rest(&w);
	if (w.kept < *argc)
		argv[w.kept] = NULL;
	*argc = w.kept < *argc ? w.kept : *argc;
	return rc;
}

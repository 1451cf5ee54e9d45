/*
 * The word list of completion. Everything comes from tables: commands and their options, values of
 * options from their choices or by the option's name, other words from the command's usage line,
 * where what stands in small letters is typed as it is ("record NAME RUN... | show NAME") and
 * what stands in capitals is one of the sources below.
 */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/base/info.h"
#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "harness/launch/launch.h"
#include "harness/plan/suite.h"

enum { RUNS_OFFERED = 200, ANSWER_MS = 1000, ANSWER_BYTES_MAX = 1 << 20 };

/* The word under the cursor and what it may become. */
struct offer {
	const struct command *c; /* NULL: not typed yet */
	const char *store;       /* --store, NULL: not given */
	const char *typed;       /* what a word must begin with */
	const char *lead;        /* stands before every word: "--bench=", "latest," */
	size_t n_lead;
	struct buf *out;
};

static void offer(const struct offer *o, const char *word)
{
	if (strncmp(word, o->typed, strlen(o->typed)) != 0)
		return;
	buf_add(o->out, o->lead, o->n_lead);
	buf_printf(o->out, "%s\n", word);
}

static void offer_commands(const struct offer *o)
{
	for (size_t i = 0; commands[i]; i++)
		offer(o, commands[i]->name);
}

static void offer_benches(const struct offer *o)
{
	for (size_t i = 0; catalog[i]; i++)
		offer(o, catalog[i]->name);
}

static void offer_formats(const struct offer *o)
{
	for (size_t i = 0; report_formats[i]; i++)
		offer(o, report_formats[i]->name);
}

static void offer_launchers(const struct offer *o)
{
	for (size_t i = 0; launchers[i]; i++) {
		const struct launcher_ops *l = launchers[i];
		char *name = hb_format("%s%s", l->name, l->arg && !l->arg_optional ? ":" : "");
		offer(o, name);
		free(name);
	}
}

static void offer_suites(const struct offer *o)
{
	char **names = suite_names();
	for (size_t i = 0; names[i]; i++)
		offer(o, names[i]);
	suite_names_free(names);
}

/* The store of the command line, else the one that is configured. */
static int open_store(const struct offer *o, struct store *s)
{
	char *configured = o->store ? NULL : cmd_configured_store();
	int rc = store_open(o->store ? o->store : configured, false, s, NULL);
	free(configured);
	return rc;
}

static void offer_profiles(const struct offer *o)
{
	struct config config;
	cmd_read_config(&config, NULL);
	const struct profile **all = config_profiles(&config);
	for (size_t i = 0; all[i]; i++)
		offer(o, all[i]->name);
	offer(o, PROFILE_DEFAULT);
	free(all);
	config_free(&config);
}

static void offer_runs(const struct offer *o)
{
	struct store s;
	char **ids = NULL;
	size_t n = 0;
	if (open_store(o, &s) == HB_OK && store_run_list(&s, &ids, &n, NULL) == HB_OK) {
		if (n)
			offer(o, "latest");
		for (size_t i = n > RUNS_OFFERED ? n - RUNS_OFFERED : 0; i < n; i++)
			offer(o, ids[i]);
	}
	store_dirs_free(ids, n);
	store_close(&s);
}

static void offer_baselines(const struct offer *o)
{
	struct store s;
	char **names = NULL;
	size_t n = 0;
	if (open_store(o, &s) == HB_OK && store_baseline_list(&s, &names, &n, NULL) == HB_OK)
		for (size_t i = 0; i < n; i++)
			offer(o, names[i]);
	store_dirs_free(names, n);
	store_close(&s);
}

static void offer_sides(const struct offer *o)
{
	offer_runs(o);
	offer_baselines(o);
}

/* Which words an option's value, or a word of a usage line, may be. */
static const struct source {
	const char *name;
	void (*fill)(const struct offer *o);
	bool reads, list; /* reads files, which may hang; may be a comma list */
} sources[] = {
	{ "suite", offer_suites, true, false },       { "bench", offer_benches, false, true },
	{ "format", offer_formats, false, false },    { "launcher", offer_launchers, false, false },
	{ "baseline", offer_baselines, true, false }, { "resume", offer_runs, true, false },
	{ "COMMAND", offer_commands, false, false },  { "RUN", offer_runs, true, true },
	{ "RUNS", offer_runs, true, true },           { "OLD", offer_sides, true, true },
	{ "NEW", offer_sides, true, true },           { "BASELINE", offer_baselines, true, false },
	{ "NAME", offer_baselines, true, false },     { "SUITE", offer_suites, true, false },
	{ "BENCH", offer_benches, false, false },     { "profile", offer_profiles, true, true },
};
enum { N_SOURCES = sizeof sources / sizeof *sources };

static long ms_since(const struct timespec *from)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - from->tv_sec) * 1000 + (now.tv_nsec - from->tv_nsec) / 1000000;
}

/* Takes over what comes out of fd until its end; false if that does not come in time. */
static bool read_answer(int fd, struct buf *out)
{
	struct timespec start;
	char chunk[4096];
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (out->len < ANSWER_BYTES_MAX) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		long left = ANSWER_MS - ms_since(&start);
		if (left <= 0 || poll(&p, 1, (int)left) <= 0)
			return false;
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n <= 0)
			return n == 0;
		buf_add(out, chunk, (size_t)n);
	}
	return false;
}

/*
 * A source that reads files is asked in a process of its own: a file system that hangs holds that
 * one alone, which may then not even be killed, and is not waited for.
 */
static void fill_apart(const struct source *src, const struct offer *o)
{
	int ends[2];
	if (pipe(ends) != 0)
		return;
	pid_t pid = fork();
	if (pid == 0) {
		struct buf words = BUF_INIT;
		struct offer apart = *o;
		apart.out = &words;
		close(ends[0]);
		/* Whoever reads our output waits for everybody who holds it open. */
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		src->fill(&apart);
		for (size_t done = 0; done < words.len;) {
			ssize_t n = write(ends[1], words.data + done, words.len - done);
			if (n <= 0)
				break;
			done += (size_t)n;
		}
		_exit(0);
	}
	close(ends[1]);
	struct buf words = BUF_INIT;
	bool whole = pid > 0 && read_answer(ends[0], &words);
	close(ends[0]);
	if (whole) {
		buf_add(o->out, words.data, words.len);
		(void)waitpid(pid, NULL, 0);
	} else if (pid > 0) {
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, WNOHANG);
	}
	buf_free(&words);
}

/* Behind the last comma a list begins anew. */
static struct offer last_of_list(const struct offer *o, struct buf *lead)
{
	struct offer last = *o;
	const char *comma = strrchr(o->typed, ',');
	if (!comma)
		return last;
	size_t n = (size_t)(comma + 1 - o->typed);
	buf_add(lead, o->lead, o->n_lead);
	buf_add(lead, o->typed, n);
	last.lead = buf_text(lead);
	last.n_lead = lead->len;
	last.typed += n;
	return last;
}

static void offer_source(const struct offer *o, const char *name, size_t len)
{
	for (size_t i = 0; i < N_SOURCES; i++) {
		const struct source *s = &sources[i];
		if (strlen(s->name) != len || strncmp(s->name, name, len) != 0 || !s->fill)
			continue;
		struct buf lead = BUF_INIT;
		struct offer last = s->list ? last_of_list(o, &lead) : *o;
		if (s->reads)
			fill_apart(s, &last);
		else
			s->fill(&last);
		buf_free(&lead);
	}
}

/* ---- options ---- */

static const struct opt *find_in(const struct opt *opts, const char *word)
{
	size_t len = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
	for (const struct opt *row = opts; row && row->type != OPT_END; row++) {
		if (row->type == OPT_GROUP)
			continue;
		if (len && strlen(row->name) == len && strncmp(row->name, word + 2, len) == 0)
			return row;
		if (row->letter && word[0] == '-' && word[1] == row->letter && !word[2])
			return row;
	}
	return NULL;
}

/* The row that a word like --name, --name=value or -n means, or NULL. */
static const struct opt *find_option(const struct command *c, const char *word)
{
	const struct opt *row = c ? find_in(c->opts, word) : NULL;
	return row ? row : find_in(common_opts, word);
}

static void offer_values(const struct offer *o, const struct opt *row)
{
	struct buf lead = BUF_INIT;
	struct offer last = row->type == OPT_SET ? last_of_list(o, &lead) : *o;
	if (!row->choices)
		offer_source(o, row->name, strlen(row->name));
	for (const struct opt_choice *c = row->choices; c && c->name; c++)
		if (!(c->flags & OPT_REFUSED))
			offer(&last, c->name);
	buf_free(&lead);
}

static void offer_rows(const struct offer *o, const struct opt *opts)
{
	for (const struct opt *row = opts; row && row->type != OPT_END; row++) {
		if (row->type == OPT_GROUP || (row->flags & OPT_HIDDEN))
			continue;
		bool on = row->type == OPT_FLAG && row->dflt && strcmp(row->dflt, "1") == 0;
		char *word = hb_format("--%s%s%s", on ? "no-" : "", row->name,
		                       row->type == OPT_FLAG ? "" : "=");
		offer(o, word);
		free(word);
	}
}

static void offer_option(const struct offer *o)
{
	const char *sign = strchr(o->typed, '=');
	const struct opt *row = sign ? find_option(o->c, o->typed) : NULL;
	if (row) {
		struct offer value = *o;
		value.lead = o->typed;
		value.n_lead = (size_t)(sign + 1 - o->typed);
		value.typed = sign + 1;
		offer_values(&value, row);
	} else if (!sign) {
		offer_rows(o, o->c ? o->c->opts : NULL);
		offer_rows(o, common_opts);
	}
}

/* ---- words of the usage line ---- */

/* usage without its options: what is in brackets goes, but for words in capitals ("[RUN...]"). */
static void put_words_of(const char *usage, struct buf *out)
{
	for (const char *p = usage; *p; p++) {
		bool optional = *p == '[' && !(p[1] >= 'A' && p[1] <= 'Z');
		const char *end = optional ? strchr(p, ']') : NULL;
		if (end)
			p = end;
		else
			buf_putc(out, (char)(*p == '[' || *p == ']' ? ' ' : *p));
	}
}

/* Is this the word's place in one alternative? args are the n words before it. */
static void offer_place(const struct offer *o, const char *form, size_t len, int n,
                        const char *const *args)
{
	const char *end = form + len, *word = NULL;
	size_t n_word = 0;
	int place = -1;
	for (const char *p = form; p < end;) {
		p += strspn(p, " ");
		size_t w = strcspn(p, " |");
		if (p >= end || w == 0)
			break;
		/* An option that is always needed: it and its value are no place. */
		bool option = *p == '-';
		if (!option) {
			word = p;
			n_word = w;
			bool fixed = *p >= 'a' && *p <= 'z';
			if (++place < n && fixed &&
			    (strlen(args[place]) != w || strncmp(args[place], p, w) != 0))
				return;
			if (place == n)
				break;
		}
		p += w;
		if (option) {
			p += strspn(p, " ");
			p += *p >= 'A' && *p <= 'Z' ? strcspn(p, " |") : 0;
		}
	}
	bool many = n_word > 3 && strncmp(word + n_word - 3, "...", 3) == 0;
	if (!word || (place != n && !many))
		return;
	if (many)
		n_word -= 3;
	if (*word >= 'a' && *word <= 'z') {
		char *text = hb_strndup(word, n_word);
		offer(o, text);
		free(text);
	} else {
		offer_source(o, word, n_word);
	}
}

static void offer_words(const struct offer *o, int n, const char *const *args)
{
	struct buf usage = BUF_INIT;
	put_words_of(o->c->usage, &usage);
	const char *p = buf_text(&usage);
	for (;;) {
		size_t len = strcspn(p, "|");
		offer_place(o, p, len, n, args);
		if (!p[len])
			break;
		p += len + 1;
	}
	buf_free(&usage);
}

/* A command line, as far as it has been typed. */
struct typed {
	const char **args; /* behind the command, without options and their values */
	int n_args;
	const struct opt *value_of; /* the next word is this option's value; NULL: it is not */
	bool only_words;            /* after "--" */
	bool lost;                  /* no such command */
};

static void take_option(struct offer *o, struct typed *t, const char *word)
{
	const struct opt *row = find_option(o->c, word);
	const char *sign = strchr(word, '=');
	if (row && sign && strcmp(row->name, "store") == 0)
		o->store = sign + 1;
	t->value_of = row && !sign && row->type != OPT_FLAG ? row : NULL;
}

static void take_word(struct offer *o, struct typed *t, const char *word)
{
	if (t->value_of) {
		if (strcmp(t->value_of->name, "store") == 0)
			o->store = word;
		t->value_of = NULL;
	} else if (!t->only_words && strcmp(word, "--") == 0) {
		t->only_words = true;
	} else if (!t->only_words && word[0] == '-' && word[1]) {
		take_option(o, t, word);
	} else if (o->c) {
		t->args[t->n_args++] = word;
	} else {
		o->c = cmd_find(word);
		t->lost = !o->c;
	}
}

int cmd_complete(int n, char *const *words)
{
	struct buf out = BUF_INIT;
	struct offer o = { .typed = n > 0 ? words[n - 1] : "", .lead = "", .out = &out };
	struct typed t = { .args = hb_alloc(((size_t)n + 1) * sizeof *t.args) };
	for (int i = 0; i + 1 < n && !t.lost; i++)
		take_word(&o, &t, words[i]);
	if (t.lost)
		out.len = 0; /* nothing is known about such a command */
	else if (t.value_of)
		offer_values(&o, t.value_of);
	else if (*o.typed == '-' && !t.only_words)
		offer_option(&o);
	else if (!o.c)
		offer_commands(&o);
	else
		offer_words(&o, t.n_args, t.args);
	(void)fwrite(buf_text(&out), 1, out.len, stdout);
	free(t.args);
	buf_free(&out);
	return CODE_OK;
}

/*
 * Draining nodes that were rejected. Between the look at a node's state and the change another
 * one may drain it: Slurm has no compare-and-set, so the look comes right before, and what stands
 * there afterwards is told.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "bench/base/mem.h"
#include "harness/slurm/slurm_parts.h"

/* ---- words ---- */

/* A reason is one word of scontrol's line and one column of sinfo's. */
static char plain(char c)
{
	static const char bad[] = "\"'\\`|$;&<>";

	return c < ' ' || c > '~' || strchr(bad, c) ? ' ' : c;
}

void slurm_drain_reason(const char *run, const char *evidence, char out[SLURM_DRAIN_MAX + 1])
{
	char *text = hb_format("%s %s: %s", SLURM_DRAIN_PREFIX, run, evidence);
	size_t k = 0;

	for (const char *p = text; *p && k < SLURM_DRAIN_MAX; p++) {
		char c = plain(*p);
		if (c != ' ' || (k > 0 && out[k - 1] != ' '))
			out[k++] = c;
	}
	while (k > 0 && out[k - 1] == ' ')
		k--;
	out[k] = '\0';
	free(text);
}

static bool bare(const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                           "0123456789_-./:,+@%";

	return *word && strspn(word, safe) == strlen(word);
}

/* In single quotes nothing but the quote itself means anything to a shell. */
static void quote(const char *word, struct buf *out)
{
	if (bare(word)) {
		buf_puts(out, word);
		return;
	}
	buf_putc(out, '\'');
	for (const char *p = word; *p; p++) {
		if (*p == '\'')
			buf_puts(out, "'\\''");
		else if ((unsigned char)*p < ' ' || *p == 0x7f) /* a line break ends a paste */
			buf_putc(out, ' ');
		else
			buf_putc(out, *p);
	}
	buf_putc(out, '\'');
}

void slurm_drain_words(const char *node, const char *reason, struct buf *out)
{
	buf_puts(out, "scontrol update nodename=");
	quote(node, out);
	buf_puts(out, " state=drain reason=");
	quote(reason, out);
}

/* ---- may it be ---- */

/* In service; any other word, also one that a later version brings, is left alone. */
static const char *const in_service[] = { "IDLE",     "ALLOCATED",  "ALLOC",        "MIXED",
	                                  "MIX",      "COMPLETING", "COMP",         "PLANNED",
	                                  "RESERVED", "CLOUD",      "DYNAMIC_NORM", NULL };

static bool is_known(const char *word, size_t len)
{
	for (size_t i = 0; in_service[i]; i++)
		if (strlen(in_service[i]) == len && memcmp(word, in_service[i], len) == 0)
			return true;
	return false;
}

static bool all_known(const char *state)
{
	for (const char *p = state;; p++) {
		size_t len = strcspn(p, "+");
		if (!is_known(p, len))
			return false;
		p += len;
		if (!*p)
			return true;
	}
}

/* A name of one node: nothing that Slurm would take for several. */
static bool is_one(const char *name)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                           "0123456789_-.";

	return *name && strspn(name, safe) == strlen(name) && strcasecmp(name, "ALL") != 0;
}

/* "Slurm says IDLE+DRAIN: bad dimm", as much of it as there is room for; never half a character. */
static void put_state(const struct slurm_node *n, const char *behind, char out[SLURM_TEXT_MAX])
{
	char *text = hb_format("Slurm says %s%s%s%s", n->state[0] ? n->state : "nothing", behind,
	                       n->reason[0] ? ": " : "", n->reason);

	slurm_clean(text, strlen(text), out, SLURM_TEXT_MAX);
	free(text);
}

bool slurm_may_drain(const struct slurm_node *n, char why[SLURM_TEXT_MAX])
{
	size_t prefix = strlen(SLURM_DRAIN_PREFIX);

	why[0] = '\0';
	if (!is_one(n->name))
		snprintf(why, SLURM_TEXT_MAX, "its name is not that of one node");
	else if (!n->up || !all_known(n->state))
		put_state(n, " and is left as it is", why);
	else if (n->reason[0] && strncmp(n->reason, SLURM_DRAIN_PREFIX, prefix) != 0)
		put_state(n, " with somebody else's reason", why);
	return !why[0];
}

/* ---- doing it ---- */

/* The state of one node now; false: text says why there is none. */
static bool look(const char *name, int signal_fd, struct slurm_node *out, char *text)
{
	char *names[] = { hb_strdup(name) };
	struct nodeset one = { names, 1, 0 };
	struct slurm_node *v = NULL;
	struct hb_err err;
	int rc = slurm_nodes(&one, signal_fd, &v, &err);

	if (rc == HB_OK)
		*out = v[0];
	else
		slurm_clean(err.text, strlen(err.text), text, SLURM_TEXT_MAX);
	free(v);
	free(names[0]);
	return rc == HB_OK;
}

/* Runs scontrol; false: its own words are in d->text. */
static bool update(struct slurm_drain *d, int signal_fd)
{
	char *name = hb_format("nodename=%s", d->node), *reason = hb_format("reason=%s", d->reason);
	const char *argv[] = { "scontrol", "update", name, "state=drain", reason, NULL };
	struct slurm_answer a;
	struct hb_err err;
	int rc = slurm_ask(argv, SLURM_ASK_MS, signal_fd, &a, &err);
	bool well = rc == HB_OK && WIFEXITED(a.status) && WEXITSTATUS(a.status) == 0;

	if (rc != HB_OK) {
		slurm_clean(err.text, strlen(err.text), d->text, sizeof d->text);
	} else if (!well) {
		const char *said = a.err[0] ? a.err : a.out;
		slurm_clean(said, strlen(said), d->text, sizeof d->text);
		if (!d->text[0])
			spawn_status_text(a.status, d->text, sizeof d->text);
	}
	if (rc == HB_OK)
		slurm_answer_free(&a);
	free(name);
	free(reason);
	return well;
}

static void drain_one(struct slurm_drain *d, int signal_fd)
{
	struct slurm_node n;

	d->drained = false;
	d->text[0] = '\0';
	if (!is_one(d->node)) {
		snprintf(d->text, sizeof d->text, "its name is not that of one node");
		return;
	}
	if (!look(d->node, signal_fd, &n, d->text) || !slurm_may_drain(&n, d->text) ||
	    !update(d, signal_fd))
		return;
	/* An exit status is no proof. */
	if (!look(d->node, signal_fd, &n, d->text))
		return;
	d->drained = strstr(n.state, "DRAIN") != NULL &&
	             strncmp(n.reason, SLURM_DRAIN_PREFIX, strlen(SLURM_DRAIN_PREFIX)) == 0;
	put_state(&n, "", d->text);
}

void slurm_drain(struct slurm_drain *v, size_t n, int signal_fd)
{
	for (size_t i = 0; i < n; i++)
		drain_one(&v[i], signal_fd);
}

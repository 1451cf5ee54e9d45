/*
 * What Slurm says about nodes. "scontrol show node --oneliner" writes KEY=VALUE words; the reason,
 * behind the state, is free text that may hold anything, so keys are looked for from the left and
 * the first one counts.
 */
#include <string.h>

#include "bench/base/mem.h"
#include "harness/slurm/slurm_parts.h"

enum {
	NODES_ASK = 1000,        /* nodes a call */
	NODES_WORDS = 60000,     /* bytes of names a call: one argument holds 128 KiB */
	NODES_TEXT = 16 << 20,   /* bytes of answer a call */
	LINE_MAX_BYTES = 1 << 18 /* of one node; longer lines are cut */
};

/* ---- state ---- */

/*
 * Words of a state that mean less than full service; all others (IDLE, MIXED, ALLOCATED, PLANNED,
 * COMPLETING, CLOUD ...) are full service. From sinfo(1) and scontrol(1).
 */
static const struct {
	const char *word;
	bool up;
} poor_words[] = {
	{ "DOWN", false },          { "ERROR", false },
	{ "UNKNOWN", false },       { "FUTURE", false },
	{ "FAIL", false },          { "NOT_RESPONDING", false },
	{ "NO_RESPOND", false }, /* older versions */
	{ "POWERED_DOWN", false },  { "POWERING_DOWN", false },
	{ "POWER_DOWN", false },    { "POWERING_UP", false },
	{ "POWER_UP", false },      { "POWER", false }, /* saving power, older versions */
	{ "REBOOT_ISSUED", false }, { "DRAIN", true },
	{ "DRAINED", true },        { "DRAINING", true },
	{ "FAILING", true },        { "MAINT", true },
	{ "RESERVED", true },       { "INVAL", true }, /* registered with less than configured */
	{ "INVALID_REG", true },    { "PERFCTRS", true },
	{ "BLOCKED", true },
};

/* Signs behind a word, in sinfo's short form: not responding, powered down, up, going down. */
static const char down_signs[] = "*~#!%^";
static const char maintenance_sign = '$';
static const char all_signs[] = "*~#!%^$@-";

static void judge_word(const char *word, size_t len, struct slurm_node *out)
{
	while (len > 0 && strchr(all_signs, word[len - 1])) {
		char sign = word[--len];
		if (strchr(down_signs, sign))
			out->up = false;
		if (sign == maintenance_sign)
			out->takes = false;
	}
	for (size_t i = 0; i < sizeof poor_words / sizeof poor_words[0]; i++) {
		if (strlen(poor_words[i].word) != len || memcmp(word, poor_words[i].word, len) != 0)
			continue;
		out->takes = false;
		out->up = out->up && poor_words[i].up;
	}
}

/* state is not terminated. */
static void judge_state(const char *state, size_t len, struct slurm_node *out)
{
	/* What does not begin with a word is no state. */
	out->up = out->takes = len > 0 && state[0] >= 'A' && state[0] <= 'Z';
	for (size_t at = 0; at < len;) {
		const char *plus = memchr(state + at, '+', len - at);
		size_t n = plus ? (size_t)(plus - (state + at)) : len - at;
		judge_word(state + at, n, out);
		at += n + 1;
	}
	out->takes = out->takes && out->up;
}

/* ---- one line ---- */

const char *slurm_value(const char *line, size_t len, const char *key, size_t *n)
{
	const char *p = slurm_find(line, len, key);

	*n = 0;
	if (!p)
		return NULL;
	p += strlen(key);
	while (p + *n < line + len && p[*n] != ' ')
		(*n)++;
	return p;
}

/* Is this " [who@when]", the end of a reason? p stands on the blank. */
static bool reason_ends(const char *p, const char *end)
{
	const char *close, *at;

	if (end - p < 2 || p[1] != '[')
		return false;
	close = memchr(p, ']', (size_t)(end - p));
	at = close ? memchr(p, '@', (size_t)(close - p)) : NULL;
	if (!at || memchr(p + 1, ' ', (size_t)(close - p - 1)))
		return false;
	/* Newer versions have more keys behind it. */
	return close + 1 == end || close[1] == ' ';
}

static void take_reason(const char *line, size_t len, struct slurm_node *out)
{
	const char *p = slurm_find(line, len, " Reason="), *end = line + len, *stop;

	if (!p)
		return;
	p += strlen(" Reason=");
	for (stop = p; stop < end && !(*stop == ' ' && reason_ends(stop, end)); stop++)
		;
	while (stop > p && (stop[-1] == ' ' || stop[-1] == '\r'))
		stop--;
	slurm_clean(p, (size_t)(stop - p), out->reason, sizeof out->reason);
}

static bool is_name(const char *p, size_t n)
{
	if (n == 0 || n > NODESET_NAME_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '.' || c == '-' || c == '_'))
			return false;
	}
	return true;
}

static bool parse_line(const char *line, size_t len, struct slurm_node *out)
{
	static const char key[] = "NodeName=";
	const char *p;
	size_t n;

	if (len > LINE_MAX_BYTES)
		len = LINE_MAX_BYTES;
	if (len < sizeof key - 1 || memcmp(line, key, sizeof key - 1) != 0)
		return false;
	p = slurm_value(line, len, key, &n);
	if (!p || !is_name(p, n))
		return false;
	*out = (struct slurm_node){ .up = false };
	memcpy(out->name, p, n);
	slurm_take_hardware(line, len, out);
	p = slurm_value(line, len, " NodeAddr=", &n);
	/* Half an address is none. */
	if (p && !slurm_clean(p, n, out->address, sizeof out->address))
		out->address[0] = '\0';
	p = slurm_value(line, len, " State=", &n);
	if (p) {
		judge_state(p, n, out);
		slurm_clean(p, n, out->state, sizeof out->state);
		take_reason(p, len - (size_t)(p - line), out);
	}
	return true;
}

int slurm_nodes_parse(const char *text, struct slurm_node **out, size_t *n, struct hb_err *err)
{
	struct slurm_node *v = NULL, node;
	size_t cap = 0, len;
	const char *line;

	*out = NULL;
	*n = 0;
	while (slurm_line(&text, &line, &len)) {
		if (!parse_line(line, len, &node))
			continue;
		if (*n == NODESET_MAX) {
			free(v);
			*n = 0;
			return hb_fail(err, HB_E_FORMAT, "scontrol tells of more than %d nodes",
			               NODESET_MAX);
		}
		hb_grow(&v, &cap, *n + 1, sizeof *v);
		v[(*n)++] = node;
	}
	*out = v;
	return HB_OK;
}

/* ---- asking ---- */

static int by_name(const void *a, const void *b)
{
	const struct slurm_node *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static int refused(const struct slurm_answer *a, const char *out_text, struct hb_err *err)
{
	char words[SLURM_TEXT_MAX], status[64];
	const char *text = a->err[0] ? a->err : out_text;

	spawn_status_text(a->status, status, sizeof status);
	slurm_clean(text, strlen(text), words, sizeof words);
	return hb_fail(err, HB_E_LIB, "scontrol show node: %s (%s)",
	               words[0] ? words : "it told of no node", status);
}

/* Fills out, which has names->n entries, from the found nodes. */
static void place(const struct nodeset *names, struct slurm_node *found, size_t n,
                  struct slurm_node *out)
{
	if (n > 0)
		qsort(found, n, sizeof *found, by_name);
	for (size_t i = 0; i < names->n; i++) {
		struct slurm_node *key = &out[i], *hit = NULL;
		*key = (struct slurm_node){
			.cpus = -1, .sockets = -1, .gpus = -1, .memory_mib = -1
		};
		snprintf(key->name, sizeof key->name, "%s", names->v[i]);
		snprintf(key->state, sizeof key->state, "unknown");
		if (n > 0)
			hit = bsearch(key, found, n, sizeof *found, by_name);
		if (hit)
			*key = *hit;
	}
}

static int ask_some(const struct nodeset *names, int signal_fd, struct slurm_node *out,
                    struct hb_err *err)
{
	struct slurm_text g = { .text = BUF_INIT, .most = NODES_TEXT };
	struct buf list = BUF_INIT;
	struct slurm_answer a;
	struct slurm_node *found = NULL;
	size_t n = 0;

	nodeset_format(names, &list);
	const char *argv[] = { "scontrol", "--oneliner", "show", "node", buf_text(&list), NULL };
	struct slurm_run r = { .argv = argv,
		               .timeout_ms = SLURM_ASK_MS,
		               .grace_ms = 2000,
		               .signal_fd = signal_fd,
		               .line = slurm_gather,
		               .ctx = &g };
	int rc = slurm_run(&r, &a, err);
	if (rc == HB_OK && g.cut)
		rc = hb_fail(err, HB_E_FORMAT, "scontrol show node: more than %d bytes",
		             NODES_TEXT);
	if (rc == HB_OK)
		rc = slurm_nodes_parse(buf_text(&g.text), &found, &n, err);
	/* Unknown nodes are an answer; no node and no word about them is a refusal. */
	if (rc == HB_OK && n == 0 && !strstr(buf_text(&g.text), "not found") &&
	    !strstr(a.err, "not found"))
		rc = refused(&a, buf_text(&g.text), err);
	if (rc == HB_OK)
		place(names, found, n, out);
	free(found);
	slurm_answer_free(&a);
	buf_free(&g.text);
	buf_free(&list);
	return rc;
}

int slurm_nodes(const struct nodeset *names, int signal_fd, struct slurm_node **out,
                struct hb_err *err)
{
	struct slurm_node *v = hb_alloc((names->n + 1) * sizeof *v);
	int rc = HB_OK;

	*out = NULL;
	for (size_t at = 0; at < names->n && rc == HB_OK;) {
		struct nodeset some = { names->v + at, 0, 0 };
		size_t bytes = 0;
		while (at + some.n < names->n && some.n < NODES_ASK && bytes < NODES_WORDS)
			bytes += strlen(some.v[some.n++]) + 1;
		rc = ask_some(&some, signal_fd, v + at, err);
		at += some.n;
	}
	if (rc != HB_OK)
		free(v);
	else
		*out = v;
	return rc;
}

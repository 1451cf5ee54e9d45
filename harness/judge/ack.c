/* What an acknowledgement is about and until when: days, subjects, what covers what. */
#include "harness/judge/ack.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/info.h"
#include "bench/base/mem.h"

enum { SECONDS_A_DAY = 86400 };

/* ---- days ---- */

int64_t ack_day_of(int64_t seconds)
{
	return seconds / SECONDS_A_DAY - (seconds % SECONDS_A_DAY < 0);
}

/* Gregorian calendar, days since 1970-01-01: years of March so that leap days come last. */
static int64_t day_from(int64_t y, int m, int d)
{
	y -= m <= 2;
	int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void ack_day_text(int64_t day, char out[ACK_DAY_TEXT])
{
	time_t t = (time_t)(day * SECONDS_A_DAY);
	struct tm tm;
	out[0] = '\0';
	if (gmtime_r(&t, &tm))
		(void)strftime(out, ACK_DAY_TEXT, "%Y-%m-%d", &tm);
}

/* "2026-12-24" and nothing else; false: no such day. */
static bool parse_date(const char *text, int64_t *out)
{
	static const char form[] = "dddd-dd-dd";
	char back[ACK_DAY_TEXT];
	if (strlen(text) != sizeof form - 1)
		return false;
	for (size_t i = 0; i < sizeof form - 1; i++)
		if (form[i] == '-' ? text[i] != '-' : text[i] < '0' || text[i] > '9')
			return false;
	long y = strtol(text, NULL, 10), m = strtol(text + 5, NULL, 10);
	long d = strtol(text + 8, NULL, 10);
	if (m < 1 || m > 12 || d < 1)
		return false;
	*out = day_from(y, (int)m, (int)d);
	ack_day_text(*out, back);
	return strcmp(back, text) == 0; /* February 30 comes back as another day */
}

/* "14d", "2w": at most three digits, so that nothing overflows. */
static bool parse_days(const char *text, int64_t *out)
{
	size_t n = strspn(text, "0123456789");
	if (n < 1 || n > 3 || (text[n] != 'd' && text[n] != 'w') || text[n + 1])
		return false;
	*out = strtol(text, NULL, 10) * (text[n] == 'w' ? 7 : 1);
	return true;
}

int ack_day_parse(const char *text, bool relative, int64_t today, int64_t *out, struct hb_err *err)
{
	int64_t days;
	if (parse_date(text, out))
		return HB_OK;
	if (relative && parse_days(text, &days)) {
		*out = today + days;
		return HB_OK;
	}
	return hb_fail(err, HB_E_USAGE, "'%.40s' is no day: %s is wanted", text,
	               relative ? "YYYY-MM-DD, or from today on 14d or 2w" : "YYYY-MM-DD");
}

/* ---- subjects ---- */

static const char name_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789._-";

/* "n17", "n17/mlx5_2", "n17/mlx5_2:1": the length of what is one, 0: none. */
static size_t endpoint_length(const char *s)
{
	size_t n = strspn(s, name_chars), more;
	if (n == 0 || s[n] != '/')
		return n;
	more = strspn(s + n + 1, name_chars);
	if (more == 0)
		return 0;
	n += 1 + more;
	if (s[n] != ':')
		return n;
	more = strspn(s + n + 1, "0123456789");
	return more ? n + 1 + more : 0;
}

int ack_subject_check(const char *subject, struct hb_err *err)
{
	static const char *const kinds[] = { "leaf:", "rail:", "fs:" };
	static const char *const words[] = { "leaf", "rail", "fs", NULL };
	size_t len = strlen(subject), n = endpoint_length(subject);
	const char *colon = strchr(subject, ':'), *slash = strchr(subject, '/');
	if (len == 0 || len > ACK_SUBJECT_MAX)
		return hb_fail(err, HB_E_USAGE, "a subject has 1 to %d bytes", ACK_SUBJECT_MAX);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)subject[i] <= ' ' || (unsigned char)subject[i] == 0x7f)
			return hb_fail(err, HB_E_USAGE,
			               "subject '%.80s': no spaces or control characters", subject);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(subject, kinds[i], strlen(kinds[i])) == 0 && len > strlen(kinds[i]))
			return HB_OK;
	/* The other end of a link: behind '>', or behind the '-' that ends a device. */
	if (n && subject[n] == '>') {
		size_t more = endpoint_length(subject + n + 1);
		if (more && !subject[n + 1 + more])
			return HB_OK;
	} else if (n && (subject[n] == '-' || !subject[n])) {
		size_t more = subject[n] ? endpoint_length(subject + n + 1) : 1;
		if (more && (!subject[n] || !subject[n + 1 + more]))
			return HB_OK;
	}
	if (colon && (!slash || colon < slash)) {
		char *word = hb_strndup(subject, (size_t)(colon - subject));
		const char *near = units_nearest(word, words);
		free(word);
		return hb_fail(err, HB_E_USAGE, "subject '%.80s': %s%s%s", subject,
		               near ? "did you mean "
		                    : "leaf:, rail: or fs: is wanted before a ':'",
		               near ? near : "", near ? ":...?" : "");
	}
	return hb_fail(err, HB_E_USAGE,
	               "subject '%.80s' is none of n17, n17/mlx5_2:1, n17>n18, n17-n18, leaf:sw3, "
	               "rail:2, fs:/scratch, cluster",
	               subject);
}

bool ack_bench_fits(const char *patterns, const char *bench)
{
	if (!patterns || !bench)
		return !patterns;
	for (const char *p = patterns; *p;) {
		size_t n = strcspn(p, ",");
		char *one = hb_strndup(p, n);
		bool fits = fnmatch(one, bench, FNM_NOESCAPE) == 0;
		free(one);
		if (fits)
			return true;
		p += n + (p[n] == ',');
	}
	return false;
}

/* Is this text, n bytes, the thing itself or a part of it: "n17", "n17/mlx5_2", ":1"? */
static bool part_of(const char *of, const char *text, size_t n)
{
	size_t len = strlen(of);
	if (n < len || strncmp(of, text, len) != 0)
		return false;
	return n == len || text[len] == '/' || (strchr(of, '/') && text[len] == ':');
}

/* "b-a" of "a-b", whichever '-' it is. */
static bool is_reverse(const char *a, const char *b)
{
	size_t len = strlen(a);
	if (strlen(b) != len)
		return false;
	for (const char *p = strchr(a, '-'); p; p = strchr(p + 1, '-')) {
		size_t left = (size_t)(p - a), right = len - left - 1;
		if (left && right && strncmp(b, p + 1, right) == 0 && b[right] == '-' &&
		    strncmp(b + right + 1, a, left) == 0)
			return true;
	}
	return false;
}

/* A direction "a>b" of the pair "a-b" or "b-a". */
static bool is_direction(const char *pair, const char *subject)
{
	const char *gt = strchr(subject, '>');
	if (!gt)
		return false;
	char *both = hb_format("%.*s-%s", (int)(gt - subject), subject, gt + 1);
	bool fits = strcmp(pair, both) == 0 || is_reverse(pair, both);
	free(both);
	return fits;
}

/* Is the n bytes of an endpoint on a node that is known? */
static bool known_end(const char *text, size_t n, const struct ack_nodes *nodes)
{
	const char *slash = memchr(text, '/', n);
	char *name = hb_strndup(text, slash ? (size_t)(slash - text) : n);
	bool known = nodes->is_node(nodes->ctx, name);
	free(name);
	return known;
}

/* A link with `of` at one end: directed ones say so, of others the far end must be a known node. */
static bool has_end(const char *of, const char *subject, const struct ack_nodes *nodes)
{
	size_t len = strlen(subject);
	for (const char *p = strpbrk(subject, "->"); p; p = strpbrk(p + 1, "->")) {
		size_t left = (size_t)(p - subject), right = len - left - 1;
		bool at_left = part_of(of, subject, left), at_right = part_of(of, p + 1, right);
		if (left == 0 || right == 0 || (!at_left && !at_right))
			continue;
		if (*p == '>')
			return true;
		if (nodes &&
		    (at_left ? known_end(p + 1, right, nodes) : known_end(subject, left, nodes)))
			return true;
	}
	return false;
}

bool ack_covers(const char *of, const char *subject, const struct ack_nodes *nodes)
{
	if (strcmp(of, subject) == 0)
		return true;
	if (nodes && nodes->is_node(nodes->ctx, subject))
		return false; /* a node is covered by its name only */
	if (is_reverse(of, subject) || is_direction(of, subject))
		return true;
	if (strcmp(of, "cluster") == 0 || strchr(of, '>') || strncmp(of, "leaf:", 5) == 0 ||
	    strncmp(of, "rail:", 5) == 0 || strncmp(of, "fs:", 3) == 0)
		return false; /* names, not ends of links */
	return part_of(of, subject, strlen(subject)) || has_end(of, subject, nodes);
}

struct ack *acks_find(const struct acks *a, const char *subject, const char *bench,
                      const struct ack_nodes *nodes)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].state == ACK_ACTIVE && ack_bench_fits(a->v[i].bench, bench) &&
		    ack_covers(a->v[i].subject, subject, nodes))
			return &a->v[i];
	return NULL;
}

bool acks_touch_node(const struct acks *a, const char *node)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].state == ACK_ACTIVE &&
		    part_of(node, a->v[i].subject, strlen(a->v[i].subject)))
			return true;
	return false;
}

void acks_set_day(struct acks *a, int64_t today)
{
	a->today = today;
	for (size_t i = 0; i < a->n; i++) {
		struct ack *k = &a->v[i];
		k->state = today <= k->until                   ? ACK_ACTIVE
		           : today - k->until <= ACK_TOLD_DAYS ? ACK_EXPIRED
		                                               : ACK_OVER;
		k->seen = k->covers = 0;
	}
}

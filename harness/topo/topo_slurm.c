/*
 * Slurm's words for a tree of switches. topology.conf and `scontrol show topology` agree in the
 * words that matter here, SwitchName, Nodes and Switches; scontrol also tells the nodes of a switch
 * whose nodes all hang on others below it.
 */
#include <string.h>
#include <strings.h>

#include "bench/base/mem.h"
#include "harness/topo/topo.h"
#include "harness/topo/topo_parts.h"

enum { LINE_LONGEST = 1 << 20 };

/* Of one logical line; borrowed from it. */
struct words {
	const char *name, *nodes;
	bool above; /* has switches below it */
};

struct text {
	const char *at, *end;
	size_t line; /* number of the line that at stands in */
};

/*
 * The next logical line into out: without comment, those that end in a backslash joined. Returns
 * the number of its first line, 0 at the end.
 */
static size_t next_line(struct text *t, struct buf *out)
{
	size_t first = t->line;
	bool more = true;

	buf_clear(out);
	if (t->at >= t->end)
		return 0;
	while (more && t->at < t->end) {
		const char *nl = memchr(t->at, '\n', (size_t)(t->end - t->at));
		const char *stop = nl ? nl : t->end;
		const char *hash = memchr(t->at, '#', (size_t)(stop - t->at));
		const char *last = hash ? hash : stop;
		while (last > t->at && strchr(" \t\r", last[-1]))
			last--;
		/* What a comment ends with goes on with nothing. */
		more = !hash && last > t->at && last[-1] == '\\';
		buf_add(out, t->at, (size_t)(last - t->at) - more);
		if (more)
			buf_putc(out, ' ');
		t->at = nl ? nl + 1 : t->end;
		t->line++;
	}
	return first;
}

static bool is_key(const char *word, size_t len, const char *key)
{
	return strlen(key) == len && strncasecmp(word, key, len) == 0;
}

/* Cuts line into words; what is neither KEY=VALUE nor known is not ours to judge, but an include
 * would hide switches. */
static int cut_words(char *line, struct words *w, struct hb_err *err)
{
	*w = (struct words){ NULL, NULL, false };
	for (char *p = line + strspn(line, " \t\r"); *p; p += strspn(p, " \t\r")) {
		size_t len = strcspn(p, " \t\r"), key = strcspn(p, "= \t\r");
		char *value = p[key] == '=' ? p + key + 1 : NULL;
		const char **to = is_key(p, key, "SwitchName") ? &w->name
		                  : is_key(p, key, "Nodes")    ? &w->nodes
		                                               : NULL;
		if (is_key(p, key, "include"))
			return hb_fail(err, HB_E_FORMAT,
			               "includes are not followed; give what scontrol show "
			               "topology prints");
		if (to && *to)
			return hb_fail(err, HB_E_FORMAT, "%.*s stands twice in it", (int)key, p);
		if (to && (!value || p + len == value))
			return hb_fail(err, HB_E_FORMAT, "%.*s has no value", (int)key, p);
		if (is_key(p, key, "Switches"))
			w->above = value && p + len != value;
		if (to)
			*to = value;
		p += len;
		if (*p)
			*p++ = '\0';
	}
	return HB_OK;
}

static int add_line(struct topo *t, char *line, struct hb_err *err)
{
	struct topo_leaf *leaf;
	struct words w;
	int rc = cut_words(line, &w, err);

	if (rc != HB_OK || !w.name || !w.nodes || w.above)
		return rc;
	rc = topo_leaf_add(t, w.name, &leaf, err);
	return rc == HB_OK ? nodeset_parse(w.nodes, &leaf->nodes, err) : rc;
}

int topo_from_slurm(const char *text, size_t len, const char *source, struct topo *out,
                    struct hb_err *err)
{
	struct text t = { text, text + len, 1 };
	struct buf line = BUF_INIT;
	size_t number;
	int rc = HB_OK;

	*out = (struct topo){ 0 };
	while (rc == HB_OK && (number = next_line(&t, &line)) > 0) {
		if (line.len > LINE_LONGEST)
			rc = hb_fail(err, HB_E_FORMAT, "longer than %d bytes", LINE_LONGEST);
		else if (line.len && memchr(line.data, '\0', line.len))
			rc = hb_fail(err, HB_E_FORMAT, "a byte 0 in it");
		else if (line.len)
			rc = add_line(out, line.data, err);
		if (rc != HB_OK)
			rc = hb_fail_in(err, "%.200s:%zu", source, number);
	}
	buf_free(&line);
	if (rc == HB_OK && topo_check(out, err) != HB_OK)
		rc = hb_fail_in(err, "%.200s", source);
	if (rc != HB_OK)
		topo_free(out);
	else
		out->source = hb_strdup(source);
	return rc;
}

/* What the cluster is like: scontrol show config, srun --mpi=list. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/slurm/slurm_parts.h"

static size_t trimmed(const char *p, size_t n)
{
	while (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
		n--;
	return n;
}

/* "60001-63000"; false for "0-0", "(null)" and whatever makes no sense. */
static bool parse_ports(const char *text, int *lo, int *hi)
{
	char *end;
	long a = strtol(text, &end, 10), b = 0;

	if (*end == '-')
		b = strtol(end + 1, &end, 10);
	if (*end || a < 1 || b < a || b > 65535)
		return false;
	*lo = (int)a;
	*hi = (int)b;
	return true;
}

static void take_value(const char *key, size_t key_len, const char *value, size_t len,
                       struct slurm_config *c)
{
	char ports[SLURM_WORD_MAX];
	const struct {
		const char *key;
		char *out;
	} rows[] = {
		{ "ClusterName", c->cluster },
		{ "SLURM_VERSION", c->version },
		{ "MpiDefault", c->mpi_default },
		{ "SrunPortRange", ports },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		/* Node health and plugins' own parts follow the main one: the first counts. */
		if (strlen(rows[i].key) != key_len || memcmp(key, rows[i].key, key_len) != 0)
			continue;
		if (rows[i].out == ports) {
			slurm_clean(value, len, ports, sizeof ports);
			if (c->port_lo == 0 && !parse_ports(ports, &c->port_lo, &c->port_hi))
				c->port_lo = c->port_hi = 0;
		} else if (!rows[i].out[0] && !(len == 6 && memcmp(value, "(null)", 6) == 0)) {
			slurm_clean(value, len, rows[i].out, SLURM_WORD_MAX);
		}
	}
}

int slurm_config_parse(const char *text, struct slurm_config *out, struct hb_err *err)
{
	const char *line;
	size_t len;

	*out = (struct slurm_config){ .port_lo = 0 };
	while (slurm_line(&text, &line, &len)) {
		const char *eq = memchr(line, '=', len), *value;
		if (!eq)
			continue;
		len = trimmed(line, len);
		value = eq + 1;
		while (value < line + len && (*value == ' ' || *value == '\t'))
			value++;
		if (value < line + len)
			take_value(line, trimmed(line, (size_t)(eq - line)), value,
			           (size_t)(line + len - value), out);
	}
	if (!out->version[0])
		return hb_fail(err, HB_E_FORMAT,
		               "scontrol show config: no SLURM_VERSION in its answer");
	return HB_OK;
}

int slurm_config_read(int signal_fd, struct slurm_config *out, struct hb_err *err)
{
	static const char *const argv[] = { "scontrol", "show", "config", NULL };
	char words[SLURM_TEXT_MAX];
	struct slurm_answer a;
	int rc = slurm_ask(argv, SLURM_ASK_MS, signal_fd, &a, err);

	if (rc != HB_OK)
		return rc;
	rc = slurm_config_parse(a.out, out, err);
	if (rc != HB_OK) {
		const char *said = a.err[0] ? a.err : a.out;
		slurm_clean(said, strlen(said), words, sizeof words);
		if (words[0])
			rc = hb_fail(err, HB_E_LIB, "scontrol show config: %s", words);
	}
	slurm_answer_free(&a);
	return rc;
}

/* ---- MPI types ---- */

static void add_type(const char *p, size_t n, struct slurm_types *out)
{
	char *slot;

	if (n == 0 || n >= SLURM_WORD_MAX || out->n == SLURM_TYPES_MAX || *p == '-')
		return;
	slot = out->v[out->n];
	for (size_t i = 0; i < n; i++) {
		char c = p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'))
			return;
	}
	memcpy(slot, p, n);
	slot[n] = '\0';
	for (size_t i = 0; i < out->n; i++)
		if (strcmp(out->v[i], slot) == 0)
			return;
	out->n++;
}

/* "pmix_v3,pmix_v4" behind "specific pmix plugin versions available:" */
static void add_versions(const char *p, const char *end, struct slurm_types *out)
{
	while (p < end) {
		const char *start = p;
		while (p < end && *p != ',' && *p != ' ')
			p++;
		add_type(start, (size_t)(p - start), out);
		while (p < end && (*p == ',' || *p == ' '))
			p++;
	}
}

void slurm_mpi_types_parse(const char *text, struct slurm_types *out)
{
	static const char prefix[] = "srun: ", versions[] = "versions available:";
	const char *line;
	size_t len;

	*out = (struct slurm_types){ .n = 0 };
	while (slurm_line(&text, &line, &len)) {
		const char *end = line + trimmed(line, len), *list;
		if (len >= sizeof prefix - 1 && memcmp(line, prefix, sizeof prefix - 1) == 0)
			line += sizeof prefix - 1;
		while (line < end && (*line == ' ' || *line == '\t'))
			line++;
		if (line >= end)
			continue;
		list = slurm_find(line, (size_t)(end - line), versions);
		if (list)
			add_versions(list + sizeof versions - 1, end, out);
		else
			add_type(line, (size_t)(end - line), out);
	}
}

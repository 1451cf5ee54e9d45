/* Over how many processors the interrupts of network devices are spread. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/facts/facts_net.h"

enum { COLUMNS_MAX = 16384, VECTORS_MAX = 4096, SHARE = 100 };

/* An interrupt, and the place of its device. */
struct vector {
	uint64_t irq;
	size_t device;
};

struct spread {
	const struct netdev *devices;
	char (*pci)[FACTS_NAME]; /* of each device, "" */
	size_t n;
	struct vector *vectors; /* by irq */
	size_t n_vectors, cap_vectors;
	uint64_t *counts; /* n rows of columns */
	bool *seen;
	size_t columns;
};

static int compare_vectors(const void *a, const void *b)
{
	const struct vector *x = a, *y = b;

	return (x->irq > y->irq) - (x->irq < y->irq);
}

static void read_vectors(struct spread *sp)
{
	char path[FACTS_PATH];

	for (size_t i = 0; i < sp->n; i++) {
		struct facts_names irqs;

		snprintf(path, sizeof(path), "/sys/class/net/%s/device", sp->devices[i].name);
		if (facts_link(path, sp->pci[i], sizeof(sp->pci[i])) != 0)
			sp->pci[i][0] = '\0';
		snprintf(path, sizeof(path), "/sys/class/net/%s/device/msi_irqs",
		         sp->devices[i].name);
		facts_names(path, VECTORS_MAX, &irqs);
		for (size_t k = 0; k < irqs.n; k++) {
			long irq = facts_numbered(irqs.v[k], "");

			if (irq < 0)
				continue;
			hb_grow(&sp->vectors, &sp->cap_vectors, sp->n_vectors + 1,
			        sizeof(*sp->vectors));
			sp->vectors[sp->n_vectors++] = (struct vector){ (uint64_t)irq, i };
		}
		facts_names_free(&irqs);
	}
	if (sp->n_vectors > 0)
		qsort(sp->vectors, sp->n_vectors, sizeof(*sp->vectors), compare_vectors);
}

/* A word as a whole: "eth1" is not in "eth10-rx-1". */
static bool names(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; n > 0 && i + n <= len; i++)
		if (memcmp(text + i, word, n) == 0 &&
		    (i == 0 || !isalnum((unsigned char)text[i - 1])) &&
		    (i + n == len || !isalnum((unsigned char)text[i + n])))
			return true;
	return false;
}

/* The device of a row; sp->n: none. By its number, else by what the row says of it. */
static size_t device_of(const struct spread *sp, uint64_t irq, const char *text, size_t len)
{
	const struct vector key = { irq, 0 };
	const struct vector *v = NULL;
	size_t i;

	if (sp->n_vectors > 0)
		v = bsearch(&key, sp->vectors, sp->n_vectors, sizeof(key), compare_vectors);
	if (v)
		return v->device;
	for (i = 0; i < sp->n; i++)
		if (names(text, len, sp->devices[i].name) || names(text, len, sp->pci[i]))
			break;
	return i;
}

/* " 24:   1   0   IR-PCI-MSI 512000-edge   eth0-TxRx-0": counts up to the first that is none. */
static void count_row(struct spread *sp, const char *line, size_t len)
{
	const char *at = line, *end = line + len, *text;
	char *stop;
	uint64_t irq = strtoull(at, &stop, 10);
	size_t device;

	if (stop == at || *stop != ':' || stop >= end)
		return;
	at = stop + 1;
	text = at;
	for (size_t i = 0; i < sp->columns; i++) {
		strtoull(text, &stop, 10);
		if (stop == text || stop > end)
			return;
		text = stop;
	}
	device = device_of(sp, irq, text, (size_t)(end - text));
	if (device == sp->n)
		return;
	sp->seen[device] = true;
	for (size_t i = 0; i < sp->columns; i++) {
		sp->counts[device * sp->columns + i] += strtoull(at, &stop, 10);
		at = stop;
	}
}

static size_t count_columns(const char *line, size_t len)
{
	const char *at = line;
	char word[FACTS_NAME];
	size_t n = 0;

	while (n < COLUMNS_MAX && facts_next_word(&at, line + len, word, sizeof(word)))
		n += facts_numbered(word, "CPU") >= 0;
	return n;
}

static void tell_spread(const struct fact_sink *s, const struct spread *sp)
{
	for (size_t i = 0; i < sp->n; i++) {
		const uint64_t *row = sp->counts + i * sp->columns;
		uint64_t sum = 0, busy = 0;

		for (size_t c = 0; c < sp->columns; c++)
			sum += row[c];
		for (size_t c = 0; c < sp->columns; c++)
			busy += row[c] > 0 && row[c] >= sum / SHARE;
		if (sp->seen[i])
			fact_tell_u64(s, sp->devices[i].name, "net.irq_cpus", busy,
			              "/proc/interrupts");
	}
}

void facts_irqs(const struct fact_sink *s, const struct netdev *devices, size_t n)
{
	struct spread sp = { .devices = devices, .n = n };
	struct buf text = BUF_INIT;
	const char *at, *line;
	size_t len;

	if (n == 0 || facts_file("/proc/interrupts", FACTS_LARGE, &text) != 0) {
		buf_free(&text);
		return;
	}
	at = buf_text(&text);
	line = facts_next_line(&at, &len);
	sp.columns = line ? count_columns(line, len) : 0;
	if (sp.columns > 0) {
		sp.pci = hb_alloc(n * sizeof(*sp.pci));
		sp.counts = hb_alloc(n * sp.columns * sizeof(*sp.counts));
		sp.seen = hb_alloc(n * sizeof(*sp.seen));
		read_vectors(&sp);
		while ((line = facts_next_line(&at, &len)))
			count_row(&sp, line, len);
		tell_spread(s, &sp);
	}
	free(sp.pci);
	free(sp.counts);
	free(sp.seen);
	free(sp.vectors);
	buf_free(&text);
}

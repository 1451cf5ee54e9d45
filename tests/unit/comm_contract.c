#include "comm_contract.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"

enum { LONG_VALUES = 5000, SILENT_MS = 400, PATIENCE_S = 30 };

static int minus_one(int length)
{
	(void)length;
	return -1;
}

/* Keeps the first broken promise, a printf text, and forgets later ones; -1. */
#define broken(out, ...)                                                                           \
	minus_one(snprintf((out)->text[0] ? (char[CONTRACT_TEXT]){ "" } : (out)->text,             \
	                   CONTRACT_TEXT, __VA_ARGS__))

static int rank_of(const struct comm *c)
{
	return c->ops->rank(c);
}

static int size_of(const struct comm *c)
{
	return c->ops->size(c);
}

static void nap(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static void patience(struct comm *c)
{
	c->deadline_ns = clock_ns() + PATIENCE_S * UINT64_C(1000000000);
}

static int check_bcast(struct comm *c, int root, struct contract *out)
{
	struct hb_err err = { HB_OK, "" };
	unsigned char text[1000];
	int rc;

	memset(text, rank_of(c) == root ? 0x5a + root : 0, sizeof(text));
	rc = c->ops->bcast(c, text, sizeof(text), root, &err);
	if (rc < 0)
		return broken(out, "broadcast from %d: %s", root, err.text);
	for (size_t i = 0; i < sizeof(text); i++)
		if (text[i] != 0x5a + root)
			return broken(out, "broadcast from %d: byte %zu is %d", root, i, text[i]);
	rc = c->ops->bcast(c, text, 0, root, &err);
	return rc < 0 ? broken(out, "empty broadcast from %d: %s", root, err.text) : 0;
}

/* Rank i gives i * 100 bytes of value i, so that rank 0 gives none. */
static int check_gathered(const struct comm *c, const struct buf *got, const size_t *lens, int root,
                          struct contract *out)
{
	size_t at = 1;

	if (got->len < 1 || got->data[0] != '>')
		return broken(out, "gather to %d: what the buffer held before is lost", root);
	for (int i = 0; i < size_of(c); i++) {
		if (lens[i] != (size_t)i * 100)
			return broken(out, "gather to %d: rank %d gave %zu bytes", root, i,
			              lens[i]);
		for (size_t k = 0; k < lens[i]; k++, at++)
			if (at >= got->len || got->data[at] != (char)i)
				return broken(out, "gather to %d: byte %zu of rank %d is wrong",
				              root, k, i);
	}
	return at == got->len
	               ? 0
	               : broken(out, "gather to %d: %zu bytes too many", root, got->len - at);
}

static int check_gather(struct comm *c, int root, struct contract *out)
{
	struct hb_err err = { HB_OK, "" };
	size_t *lens = hb_alloc((size_t)size_of(c) * sizeof(*lens));
	size_t len = (size_t)rank_of(c) * 100;
	char *mine = hb_alloc(len + 1);
	struct buf got = BUF_INIT;
	int rc;

	memset(mine, rank_of(c), len);
	buf_putc(&got, '>');
	rc = c->ops->gatherv(c, mine, len, &got, lens, root, &err);
	if (rc < 0)
		rc = broken(out, "gather to %d: %s", root, err.text);
	else if (rank_of(c) == root)
		rc = check_gathered(c, &got, lens, root, out);
	else if (got.len != 1)
		rc = broken(out, "gather to %d: rank %d got bytes too", root, rank_of(c));
	buf_clear(&got);
	if (!rc && c->ops->gatherv(c, mine, len, &got, NULL, root, &err) < 0)
		rc = broken(out, "gather to %d without lengths: %s", root, err.text);
	buf_free(&got);
	free(mine);
	free(lens);
	return rc;
}

/* Value k is largest on rank k modulo size. */
static int check_max(struct comm *c, int root, struct contract *out)
{
	struct hb_err err = { HB_OK, "" };
	double *in = hb_alloc(LONG_VALUES * sizeof(*in)),
	       *max = hb_alloc(LONG_VALUES * sizeof(*max));
	int rc;

	for (int k = 0; k < LONG_VALUES; k++)
		in[k] = k % size_of(c) == rank_of(c) ? 1000.0 + k : -1.0 - rank_of(c);
	rc = c->ops->reduce_max(c, in, max, LONG_VALUES, root, &err);
	if (rc < 0)
		rc = broken(out, "maximum at %d: %s", root, err.text);
	for (int k = 0; !rc && rank_of(c) == root && k < LONG_VALUES; k++)
		if (fabs(max[k] - (1000.0 + k)) > 0)
			rc = broken(out, "maximum at %d: value %d is %g", root, k, max[k]);
	free(in);
	free(max);
	return rc;
}

static int check_agree(struct comm *c, struct contract *out)
{
	struct hb_err err = { HB_OK, "" };
	int worst = -77, last = size_of(c) - 1;

	if (c->ops->agree(c, rank_of(c) == last ? 8 : 0, &worst, &err) < 0)
		return broken(out, "agreement: %s", err.text);
	if (worst != 8)
		return broken(out, "agreement: %d is not the largest value", worst);
	if (c->ops->agree(c, -5 - rank_of(c), &worst, &err) < 0)
		return broken(out, "agreement: %s", err.text);
	return worst == -5 ? 0 : broken(out, "agreement on negative values: %d", worst);
}

static int check_bad_root(struct comm *c, struct contract *out)
{
	struct hb_err err = { HB_OK, "" };
	char byte = 0;

	if (c->ops->bcast(c, &byte, 1, size_of(c), &err) != HB_E_USAGE || !err.text[0])
		return broken(out, "a root beyond the last rank is not refused");
	return c->broken ? broken(out, "a refused root breaks the communicator") : 0;
}

int comm_contract_collectives(struct comm *c, struct contract *out)
{
	struct hb_err err = { HB_OK, "" };
	int rc = 0;

	patience(c);
	if (rank_of(c) < 0 || rank_of(c) >= size_of(c))
		return broken(out, "rank %d of %d", rank_of(c), size_of(c));
	for (int i = 0; i < 20; i++)
		if (c->ops->barrier(c, &err) < 0)
			return broken(out, "barrier: %s", err.text);
	for (int root = 0; root < size_of(c) && !rc; root++) {
		rc = check_bcast(c, root, out);
		if (!rc)
			rc = check_gather(c, root, out);
		if (!rc)
			rc = check_max(c, root, out);
	}
	if (!rc)
		rc = check_agree(c, out);
	return rc < 0 ? rc : check_bad_root(c, out);
}

/* Nobody leaves a barrier before the last one has come; the ranks share one host's clock. */
static int check_barrier_holds(struct comm *c, struct contract *out)
{
	struct hb_err err = { HB_OK, "" };
	uint64_t arrived = 0, left;
	int last = size_of(c) - 1;

	if (rank_of(c) == last) {
		nap(20);
		arrived = clock_ns();
	}
	if (c->ops->barrier(c, &err) < 0)
		return broken(out, "barrier: %s", err.text);
	left = clock_ns();
	if (c->ops->bcast(c, &arrived, sizeof(arrived), last, &err) < 0)
		return broken(out, "broadcast: %s", err.text);
	if (left < arrived)
		return broken(out, "rank %d left a barrier that rank %d had not reached",
		              rank_of(c), last);
	return 0;
}

static int use_subset(struct comm *c, const int *ranks, int n, int tag, int want_rank,
                      struct contract *out)
{
	struct hb_err err = { HB_OK, "" };
	struct comm *sub = NULL;
	int rc = c->ops->subset(c, ranks, n, tag, &sub, &err);

	if (rc < 0)
		return broken(out, "group of %d with tag %d: %s", n, tag, err.text);
	if (rank_of(sub) != want_rank || size_of(sub) != n)
		rc = broken(out, "rank %d of %d in the group, not %d of %d", rank_of(sub),
		            size_of(sub), want_rank, n);
	else
		rc = comm_contract_collectives(sub, out);
	sub->ops->close(sub);
	return rc;
}

/* Even and odd ranks at once, then all backwards, then each alone; the same tags again and again.
 */
int comm_contract_subsets(struct comm *c, struct contract *out)
{
	int size = size_of(c), me = rank_of(c), n = 0, rc = 0;
	int *ranks = hb_alloc((size_t)(size + 2) * sizeof(*ranks));
	struct hb_err err = { HB_OK, "" };

	patience(c);
	for (int i = me % 2; i < size; i += 2)
		ranks[n++] = i;
	for (int i = 0; i < 3 && !rc; i++)
		rc = use_subset(c, ranks, n, me % 2, me / 2, out);
	for (int i = 0; i < size; i++)
		ranks[i] = size - 1 - i;
	if (!rc)
		rc = use_subset(c, ranks, size, 7, size - 1 - me, out);
	ranks[0] = me;
	if (!rc)
		rc = use_subset(c, ranks, 1, 9, 0, out);
	/* Only the first two; the others do not take part at all. */
	ranks[0] = 1;
	ranks[1] = 0;
	if (!rc && size >= 2 && me < 2)
		rc = use_subset(c, ranks, 2, 11, 1 - me, out);
	free(ranks);
	if (!rc && c->ops->barrier(c, &err) < 0)
		rc = broken(out, "barrier after the groups: %s", err.text);
	return rc;
}

int comm_contract_clock(struct comm *c, double max_error_ns, struct contract *out)
{
	struct hb_err err = { HB_OK, "" };

	patience(c);
	for (int root = 0; root < size_of(c); root++) {
		double offset = NAN, error = NAN;

		if (c->ops->clock_offset(c, root, &offset, &error, &err) < 0)
			return broken(out, "clock offset to %d: %s", root, err.text);
		if (!(error >= 0))
			return broken(out, "clock offset to %d: error bound %g", root, error);
		/* One host has one clock: the truth is 0. */
		if (!(fabs(offset) <= error + max_error_ns))
			return broken(out, "clock offset to %d: %g ns, claimed within %g", root,
			              offset, error);
	}
	return 0;
}

int comm_contract_silent(struct comm *c, int silent_ms, struct contract *out)
{
	struct hb_err err = { HB_OK, "" };
	int last = size_of(c) - 1, worst = 0, rc;
	uint64_t start = clock_ns();

	if (rank_of(c) == last) {
		nap(silent_ms);
		return 0;
	}
	c->deadline_ns = start + (uint64_t)silent_ms * 1000000 / 4;
	rc = c->ops->agree(c, 0, &worst, &err);
	if (rc != HB_E_TIMEOUT)
		return broken(out, "a silent rank gives status %d: %s", rc, err.text);
	if (!c->broken)
		return broken(out, "a silent rank does not break the communicator");
	if (!err.text[0])
		return broken(out, "a silent rank is not explained");
	return 0;
}

int comm_contract(struct comm *c, struct contract *out)
{
	int size = size_of(c), rc;
	struct hb_err err = { HB_OK, "" };
	struct comm *sub = NULL;
	int *all;

	out->text[0] = '\0';
	rc = comm_contract_collectives(c, out);
	if (!rc)
		rc = check_barrier_holds(c, out);
	if (!rc)
		rc = comm_contract_subsets(c, out);
	if (!rc)
		rc = comm_contract_clock(c, 1e6, out);
	if (rc < 0 || size < 2)
		return rc;
	all = hb_alloc((size_t)size * sizeof(*all));
	for (int i = 0; i < size; i++)
		all[i] = i;
	if (c->ops->subset(c, all, size, 13, &sub, &err) < 0)
		rc = broken(out, "group of all: %s", err.text);
	free(all);
	if (rc < 0)
		return rc;
	rc = comm_contract_silent(sub, SILENT_MS, out);
	sub->ops->close(sub);
	patience(c);
	if (!rc && c->ops->barrier(c, &err) < 0)
		rc = broken(out, "the ranks are lost after a silence on a group of theirs: %s",
		            err.text);
	return rc;
}

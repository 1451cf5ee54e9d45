#include "fake_bench.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"

struct fake_state {
	uint64_t pushes;
	uint64_t counter;
};

static const struct fake *fake_of(const struct bench *b)
{
	return b->opts;
}

static bool is_who(const struct bench *b)
{
	return fake_of(b)->who == b->rank;
}

static int fake_setup(struct bench *b, struct hb_err *err)
{
	(void)b;
	(void)err;
	return HB_OK;
}

static int fake_prepare(struct bench *b, struct hb_err *err)
{
	const struct fake *f = fake_of(b);

	if (!is_who(b) || f->prepare_status == HB_OK)
		return HB_OK;
	return hb_fail(err, (enum hb_status)f->prepare_status, "prepare says no");
}

static void sleep_ns(double ns)
{
	struct timespec t = { (time_t)(ns / 1e9), (long)fmod(ns, 1e9) };

	nanosleep(&t, NULL);
}

static void push(struct bench *b, uint64_t n, struct sink *sink)
{
	const struct fake *f = fake_of(b);
	struct fake_state *s = b->state;

	for (uint64_t i = 0; i < n; i++) {
		double ns = f->push_ns * (b->rank + 1);

		if (f->kind == FAKE_PUSH_ODD)
			ns += (double)s->pushes++ * f->push_ns;
		sink_push(sink, f->kind == FAKE_PUSH_BAD ? NAN : ns);
	}
}

static int wait_for_peer(struct bench *b, struct hb_err *err)
{
	if (is_who(b)) {
		sleep_ns(fake_of(b)->busy_ns);
		return HB_OK;
	}
	while (clock_ns() < b->deadline_ns)
		sleep_ns(1e6);
	return hb_fail(err, HB_E_TIMEOUT, "no message came");
}

static int fake_iterate(struct bench *b, uint64_t n, struct sink *sink, struct hb_err *err)
{
	const struct fake *f = fake_of(b);
	struct fake_state *s = b->state;
	volatile uint64_t *counter = &s->counter;

	switch (f->kind) {
	case FAKE_NULL:
		for (uint64_t i = 0; i < n; i++)
			*counter += i;
		return HB_OK;
	case FAKE_BUSY:
		for (uint64_t i = 0; i < n; i++) {
			uint64_t end = clock_ns() + (uint64_t)f->busy_ns;

			while (clock_ns() < end)
				;
		}
		return HB_OK;
	case FAKE_PUSH:
	case FAKE_PUSH_ODD:
	case FAKE_PUSH_BAD: push(b, n, sink); return HB_OK;
	case FAKE_FEW: push(b, n - 1, sink); return HB_OK;
	case FAKE_MANY: push(b, n + 1, sink); return HB_OK;
	case FAKE_FAIL: return is_who(b) ? hb_fail(err, HB_E_LIB, "the device fell off") : HB_OK;
	case FAKE_SILENT: return wait_for_peer(b, err);
	case FAKE_SLEEPY: sleep_ns(f->busy_ns * (double)n); return HB_OK;
	}
	return HB_OK;
}

static int fake_verify(struct bench *b, uint64_t *checked, uint64_t *bad, struct hb_err *err)
{
	(void)err;
	*checked = 100;
	*bad = is_who(b) ? fake_of(b)->bad : 0;
	return HB_OK;
}

static double fake_bytes_moved(const struct bench *b)
{
	return (double)b->bytes * (b->info->flags & BENCH_WINDOWED ? 64 : 1);
}

static double fake_bus_factor(int nranks)
{
	return 2.0 * (nranks - 1) / nranks;
}

static const struct metric_info fake_metrics[] = {
	{ "lat_p50_ns", UNIT_NS, false, true }, { "algbw_Bps", UNIT_BPS, true, false },
	{ "busbw_Bps", UNIT_BPS, true, false }, { "rate_per_s", UNIT_PER_S, true, false },
	{ NULL, UNIT_NS, false, false },
};

void fake_bench_init(struct fake_bench *f, enum bench_shape shape, unsigned flags)
{
	memset(f, 0, sizeof(*f));
	f->info.name = "fake.bench";
	f->info.summary = "known times";
	f->info.shape = shape;
	f->info.flags = flags;
	f->info.min_ranks = 1;
	f->info.metrics = fake_metrics;
	f->info.opts_size = sizeof(struct fake);
	f->info.bus_factor = fake_bus_factor;
	f->ops.info = &f->info;
	f->ops.state_size = sizeof(struct fake_state);
	f->ops.setup = fake_setup;
	f->ops.prepare = fake_prepare;
	f->ops.iterate = fake_iterate;
	f->ops.verify = fake_verify;
	f->ops.bytes_moved = fake_bytes_moved;
}

struct one_rank {
	struct fake_run *run;
	const struct fake_bench *f;
	const struct fake *fake;
	struct comm *comm;
	int rank;
};

static void *run_rank(void *arg)
{
	struct one_rank *one = arg;
	struct fake_run *r = one->run;
	struct fake_state state = { 0, 0 };
	struct bench b = { .ops = &one->f->ops,
		           .info = &one->f->info,
		           .opts = one->fake,
		           .bytes = r->bytes,
		           .max_bytes = r->bytes,
		           .comm = one->comm,
		           .rank = one->rank,
		           .nranks = r->n,
		           .dir = r->dir,
		           .state = &state };

	r->rc[one->rank] = run_case(&b, &r->params, &r->result[one->rank], &r->err[one->rank]);
	r->comm_broken[one->rank] = one->comm->broken;
	if (one->rank == 0 && r->result[0].n_samples > 0)
		run_metrics(&b, &r->result[0], &r->point);
	one->comm->ops->close(one->comm);
	return NULL;
}

void fake_run(struct fake_run *r, const struct fake_bench *f, const struct fake *fake)
{
	struct comm *comms[8];
	struct one_rank ones[8];
	pthread_t threads[8];

	comm_threads_open(r->n, comms);
	for (int i = 0; i < r->n; i++) {
		ones[i] = (struct one_rank){ r, f, fake, comms[i], i };
		pthread_create(&threads[i], NULL, run_rank, &ones[i]);
	}
	for (int i = 0; i < r->n; i++)
		pthread_join(threads[i], NULL);
}

void fake_run_free(struct fake_run *r)
{
	for (int i = 0; i < r->n; i++)
		run_result_free(&r->result[i]);
}

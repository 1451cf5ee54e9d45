#include "bench/core/load.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/base/num.h"
#include "bench/base/rng.h"
#include "bench/core/bench.h"
#include "bench/core/clock.h"
#include "bench/core/env_parts.h"
#include "bench/core/sys_net.h"

enum { LINE_MAX_BYTES = 1024, CPU_COLUMNS = 8, NET_COLUMNS = 9, WORD = 4 };

/* ---- CPU time ---- */

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* Of all threads of this process. */
static double own_seconds(void)
{
	struct rusage u;

	return getrusage(RUSAGE_SELF, &u) == 0 ? seconds_of(&u.ru_utime) + seconds_of(&u.ru_stime)
	                                       : 0;
}

/*
 * "cpu  user nice system idle iowait irq softirq steal": what a virtual machine's host took away
 * (steal) was not to be had here, so it counts as busy. Then a line for each processor.
 */
static void read_cpu(struct load_reading *r)
{
	FILE *f = sys_open("/proc/stat");
	uint64_t v[CPU_COLUMNS] = { 0 };
	double hz = (double)sysconf(_SC_CLK_TCK);
	char line[LINE_MAX_BYTES];

	if (!f)
		return;
	if (fgets(line, sizeof(line), f) && strncmp(line, "cpu ", 4) == 0 &&
	    sys_numbers(line + 4, v, CPU_COLUMNS) >= 4) {
		r->busy_s = (double)(v[0] + v[1] + v[2] + v[7]) / hz;
		r->soft_s = (double)(v[5] + v[6]) / hz;
		while (fgets(line, sizeof(line), f) && strncmp(line, "cpu", 3) == 0)
			r->cores++;
	}
	fclose(f);
}

static void read_load_average(struct load_reading *r)
{
	const char *end;
	char text[128];

	if (!sys_line("/proc/loadavg", text, sizeof(text)) || !num_parse(text, &end, &r->load1) ||
	    r->load1 < 0)
		r->load1 = 0;
}

/* ---- network devices ---- */

static struct load_device *add_device(struct load_reading *r, const char *name)
{
	size_t len = strlen(name);
	struct load_device *d = &r->v[r->n];

	if (r->n >= LOAD_DEVICES_MAX || len == 0 || len >= sizeof(d->name))
		return NULL;
	*d = (struct load_device){ .rx = 0 };
	memcpy(d->name, name, len + 1);
	r->n++;
	return d;
}

static void take_netdev(void *ctx, const char *name, const uint64_t *v, size_t n)
{
	struct load_device *d;

	if (strcmp(name, "lo") == 0 || n < NET_COLUMNS)
		return;
	d = add_device(ctx, name);
	if (!d)
		return;
	d->rx = v[0];
	d->tx = v[8];
}

static void take_port(void *ctx, const char *device, const char *port)
{
	uint64_t rx, tx;
	char name[SYS_NAME_MAX * 2 + 2];
	struct load_device *d;

	if (!sys_port_counter(device, port, "port_rcv_data", &rx) ||
	    !sys_port_counter(device, port, "port_xmit_data", &tx))
		return;
	snprintf(name, sizeof(name), "%s/%s", device, port);
	d = add_device(ctx, name);
	if (d) {
		d->rx = rx;
		d->tx = tx;
		d->port = true;
	}
}

void load_read(struct load_reading *out)
{
	memset(out, 0, sizeof(*out));
	/* The ports first: where there are many devices they must not be the ones left out. */
	sys_ports(take_port, out);
	sys_netdevs(take_netdev, out);
	read_load_average(out);
	read_cpu(out);
	out->own_s = own_seconds();
	out->ns = clock_ns();
}

/* ---- between two readings ---- */

uint64_t load_counted(uint64_t before, uint64_t after)
{
	if (after >= before)
		return after - before;
	return before <= UINT32_MAX ? after + (UINT64_C(1) << 32) - before : 0;
}

/* Something is plugged in: the speed of others (veth, bridge, bond) is made up, or their parts'. */
static bool is_real(const struct load_device *d)
{
	char path[128];
	DIR *dir;

	if (d->port)
		return true;
	snprintf(path, sizeof(path), "/sys/class/net/%s/device", d->name);
	dir = sys_dir(path);
	if (dir)
		closedir(dir);
	return dir != NULL;
}

/* "100 Gb/sec (4X EDR)", "100000" (Mbit/s); 0: unknown. */
static double max_rate(const struct load_device *d)
{
	char path[160], text[64];
	const char *end, *slash = strchr(d->name, '/');
	double v = 0;

	if (!d->port) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/speed", d->name);
		return fmax((double)sys_number(path, 0), 0) * 1e6 / 8;
	}
	if (!slash)
		return 0;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%.*s/ports/%s/rate",
	         (int)(slash - d->name), d->name, slash + 1);
	return sys_line(path, text, sizeof(text)) && num_parse(text, &end, &v) && v > 0
	               ? v * 1e9 / 8
	               : 0;
}

/* Those that do not count when they are asked, but by a timer; all others count at once. */
static double lag_of(const struct load_device *d)
{
	static const char *const by_timer[] = { "be2net",    "bnx2x", "bnxt_en", "mlx4_core",
		                                "mlx4_en",   "nfp",   "qede",    "sfc",
		                                "sfc_siena", "tg3" };
	char path[128], driver[64];

	snprintf(path, sizeof(path), "/sys/class/net/%s/device/driver", d->name);
	if (d->port || !sys_link_name(path, driver, sizeof(driver)))
		return 0;
	for (size_t i = 0; i < sizeof(by_timer) / sizeof(*by_timer); i++)
		if (strcmp(driver, by_timer[i]) == 0)
			return LOAD_LAG_S;
	return 0;
}

static const struct load_device *find_device(const struct load_reading *r,
                                             const struct load_device *like, size_t hint)
{
	if (hint < r->n && strcmp(r->v[hint].name, like->name) == 0)
		return &r->v[hint];
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->v[i].name, like->name) == 0)
			return &r->v[i];
	return NULL;
}

struct moved {
	const struct load_device *device;
	double rx, tx;
	bool real;
};

static int most_first(const void *a, const void *b)
{
	const struct moved *x = a, *y = b;
	double p = fmax(x->rx, x->tx), q = fmax(y->rx, y->tx);

	return (p < q) - (p > q);
}

/*
 * Where there are real devices only they count: what goes through the others goes through them too,
 * or never leaves the node.
 */
static size_t what_moved(const struct load_reading *before, const struct load_reading *after,
                         struct moved *out)
{
	size_t n = 0, kept = 0;
	bool real = false;

	for (size_t i = 0; i < after->n; i++) {
		const struct load_device *b = &after->v[i], *a = find_device(before, b, i);
		double scale = b->port ? WORD : 1;
		struct moved m = { .device = b };

		if (!a || a->port != b->port)
			continue;
		m.rx = (double)load_counted(a->rx, b->rx) * scale;
		m.tx = (double)load_counted(a->tx, b->tx) * scale;
		if (m.rx + m.tx <= 0)
			continue;
		m.real = is_real(b);
		real = real || m.real;
		out[n++] = m;
	}
	for (size_t i = 0; i < n; i++)
		if (!real || out[i].real)
			out[kept++] = out[i];
	if (kept > 1)
		qsort(out, kept, sizeof(*out), most_first);
	return kept;
}

void load_between(const struct load_reading *before, const struct load_reading *after,
                  const struct load_moved *own, struct load_span *out)
{
	struct moved moved[LOAD_DEVICES_MAX];
	size_t n = what_moved(before, after, moved);

	*out = (struct load_span){ .load1 = after->load1 };
	out->seconds = after->ns > before->ns ? (double)(after->ns - before->ns) / 1e9 : 0;
	out->own_s = fmax(after->own_s - before->own_s, 0);
	if (before->cores > 0 && after->cores > 0) {
		out->cores = after->cores;
		out->busy_s = fmax(after->busy_s - before->busy_s, 0);
		out->soft_s = fmax(after->soft_s - before->soft_s, 0);
	}
	if (own) {
		out->tx = own->tx;
		out->rx = own->rx;
	}
	for (size_t i = 0; i < n && i < LOAD_NICS_MAX; i++) {
		struct load_nic *nic = &out->nics[out->n_nics++];

		memcpy(nic->name, moved[i].device->name, sizeof(nic->name));
		nic->rx = moved[i].rx;
		nic->tx = moved[i].tx;
		nic->max_Bps = moved[i].real ? max_rate(moved[i].device) : 0;
		nic->lag_s = moved[i].real ? lag_of(moved[i].device) : 0;
	}
}

/* ---- what is our own ---- */

/* Headers of the library and of all layers below, and what acknowledges a message. */
static const double message_overhead = 512;
/* What comes back over TCP while bytes go one way. */
static const double acknowledged = 0.05;

/* How many times its buffer a rank sends in a collective, whatever the algorithm: from above. */
static double group_factor(int n)
{
	return fmax(2, ceil(log2(fmax(n, 2))) + 1);
}

void load_count(struct load_moved *m, const struct bench *b, uint64_t iterations)
{
	double n = (double)iterations, data, messages = 1;
	bool both = !(b->info->flags & BENCH_DIRECTED);

	if (b->info->shape == BENCH_LOCAL)
		return;
	data = b->ops->bytes_moved ? b->ops->bytes_moved(b) : (double)b->bytes;
	if ((b->info->flags & BENCH_WINDOWED) && b->bytes > 0)
		messages = data / (double)b->bytes;
	if (b->info->shape == BENCH_GROUP) {
		data *= group_factor(b->nranks);
		messages = 2 * group_factor(b->nranks); /* with the barrier before it */
	}
	m->tx += n * messages * message_overhead;
	m->rx += n * messages * message_overhead;
	bool sends = b->dir == DIR_BA ? b->rank != 0 : b->rank == 0;
	m->tx += n * data * (both || b->info->shape == BENCH_GROUP || sends ? 1 : acknowledged);
	m->rx += n * data * (both || b->info->shape == BENCH_GROUP || !sends ? 1 : acknowledged);
}

/* ---- who shares what ---- */

static void short_id(const char *text, char out[LOAD_ID_MAX])
{
	snprintf(out, LOAD_ID_MAX, "%016" PRIx64, rng_hash(text, strlen(text)));
}

void load_identity(char kernel[LOAD_ID_MAX], char network[LOAD_ID_MAX])
{
	char text[192], name[64];

	kernel[0] = network[0] = '\0';
	if (!sys_line("/proc/sys/kernel/random/boot_id", text, 64) || !*text)
		return;
	short_id(text, kernel);
	if (!sys_link_name("/proc/self/ns/net", name, sizeof(name)))
		return;
	snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s", name);
	short_id(text, network);
}

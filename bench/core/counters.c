/* Counters of a node: the kernel's own, and what is put together from the other files. */
#include "bench/core/counters.h"

#include <ctype.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"
#include "bench/core/counters_parts.h"
#include "bench/core/env_parts.h"
#include "bench/core/sys_net.h"

/* REAL_MAX: devices that are asked one by one. */
enum { PROTO_LINE = 8192, REAL_MAX = 32 };

void counters_add(struct counters *c, const char *device, const char *name, uint64_t value,
                  int width)
{
	struct counter_value *v;

	if (c->n >= COUNTERS_MAX || strlen(device) >= sizeof(v->device) ||
	    strlen(name) >= sizeof(v->name) || !*name)
		return;
	hb_grow(&c->v, &c->cap, c->n + 1, sizeof(*c->v));
	v = &c->v[c->n++];
	*v = (struct counter_value){ .value = value, .width = width };
	snprintf(v->device, sizeof(v->device), "%s", device);
	for (size_t i = 0; name[i]; i++)
		v->name[i] = (char)tolower((unsigned char)name[i]);
}

/* ---- network devices ---- */

/* As /sys calls them; NULL: nobody asks. */
static const char *const net_columns[SYS_NET_COLUMNS] = {
	"rx_bytes",   "rx_packets",     "rx_errors",  "rx_dropped", "rx_fifo_errors",
	NULL, /* of several; /sys has each */
	NULL,         "multicast",      "tx_bytes",   "tx_packets", "tx_errors",
	"tx_dropped", "tx_fifo_errors", "collisions", NULL, /* the same */
	NULL,
};

/* What /proc/net/dev has not, or not apart. */
static const char *const statistics[] = {
	"rx_crc_errors",     "rx_frame_errors",   "rx_length_errors",
	"rx_missed_errors",  "rx_over_errors",    "rx_nohandler",
	"tx_aborted_errors", "tx_carrier_errors", "tx_window_errors",
};

struct netdevs {
	struct counters *c;
	int real;
};

static bool same_text(const char *path, const char *want)
{
	char text[64];

	return sys_line(path, text, sizeof(text)) && strcmp(text, want) == 0;
}

/*
 * Something is plugged in, and /sys means the device of this network: where it is another network's
 * a device of that name may be there too.
 */
static bool is_real(const char *name)
{
	char path[160], index[16];
	DIR *dir;

	if (strchr(name, '/') || strlen(name) >= IF_NAMESIZE)
		return false;
	snprintf(path, sizeof(path), "/sys/class/net/%.40s/device", name);
	dir = sys_dir(path);
	if (!dir)
		return false;
	closedir(dir);
	if (sys_redirected())
		return true;
	snprintf(index, sizeof(index), "%u", if_nametoindex(name));
	snprintf(path, sizeof(path), "/sys/class/net/%.40s/ifindex", name);
	return same_text(path, index);
}

static void add_statistics(struct counters *c, const char *device)
{
	for (size_t i = 0; i < sizeof(statistics) / sizeof(*statistics); i++) {
		char path[160], text[64];
		uint64_t v;

		snprintf(path, sizeof(path), "/sys/class/net/%.40s/statistics/%.40s", device,
		         statistics[i]);
		if (sys_line(path, text, sizeof(text)) && sys_numbers(text, &v, 1) == 1)
			counters_add(c, device, statistics[i], v, 64);
	}
}

static void take_netdev(void *ctx, const char *name, const uint64_t *v, size_t n)
{
	struct netdevs *d = ctx;

	for (size_t i = 0; i < n; i++)
		if (net_columns[i])
			counters_add(d->c, name, net_columns[i], v[i], 64);
	if (n == 0 || d->real >= REAL_MAX || !is_real(name))
		return;
	d->real++;
	add_statistics(d->c, name);
	if (!sys_redirected())
		counters_add_driver(d->c, name);
}

/* ---- protocols ---- */

struct proto_row {
	const char *group, *column, *name;
};

/* A line of names and one of values for each group, in /proc/net/snmp and /proc/net/netstat. */
static const struct proto_row snmp_rows[] = {
	{ "Tcp:", "InSegs", "tcp.in_segs" },
	{ "Tcp:", "OutSegs", "tcp.out_segs" },
	{ "Tcp:", "RetransSegs", "tcp.retrans_segs" },
	{ "Tcp:", "InErrs", "tcp.in_errs" },
	{ "Tcp:", "InCsumErrors", "tcp.in_csum_errors" },
	{ "Tcp:", "OutRsts", "tcp.out_rsts" },
	{ "Tcp:", "EstabResets", "tcp.estab_resets" },
	{ "Tcp:", "AttemptFails", "tcp.attempt_fails" },
	{ "Udp:", "InDatagrams", "udp.in_datagrams" },
	{ "Udp:", "OutDatagrams", "udp.out_datagrams" },
	{ "Udp:", "NoPorts", "udp.no_ports" },
	{ "Udp:", "InErrors", "udp.in_errors" },
	{ "Udp:", "RcvbufErrors", "udp.rcvbuf_errors" },
	{ "Udp:", "SndbufErrors", "udp.sndbuf_errors" },
	{ "Udp:", "InCsumErrors", "udp.in_csum_errors" },
	{ "Ip:", "InDiscards", "ip.in_discards" },
	{ "Ip:", "OutDiscards", "ip.out_discards" },
	{ "Ip:", "InHdrErrors", "ip.in_hdr_errors" },
	{ "Ip:", "FragFails", "ip.frag_fails" },
	{ "Ip:", "FragCreates", "ip.frag_creates" },
	{ "Ip:", "ReasmFails", "ip.reasm_fails" },
	{ "Icmp:", "InDestUnreachs", "icmp.in_dest_unreachs" },
};
static const struct proto_row netstat_rows[] = {
	{ "TcpExt:", "TCPTimeouts", "tcp.timeouts" },
	{ "TcpExt:", "TCPLostRetransmit", "tcp.lost_retransmit" },
	{ "TcpExt:", "TCPSackRecovery", "tcp.sack_recovery" },
	{ "TcpExt:", "TCPFastRetrans", "tcp.fast_retrans" },
	{ "TcpExt:", "TCPSlowStartRetrans", "tcp.slow_start_retrans" },
	{ "TcpExt:", "TCPSynRetrans", "tcp.syn_retrans" },
	{ "TcpExt:", "TCPSACKReorder", "tcp.sack_reorder" },
	{ "TcpExt:", "TCPOFOQueue", "tcp.ofo_queue" },
	{ "TcpExt:", "TCPLossProbes", "tcp.loss_probes" },
	{ "TcpExt:", "TCPRcvCollapsed", "tcp.rcv_collapsed" },
	{ "TcpExt:", "PruneCalled", "tcp.prune_called" },
	{ "TcpExt:", "TCPBacklogDrop", "tcp.backlog_drop" },
	{ "TcpExt:", "TCPZeroWindowDrop", "tcp.zero_window_drop" },
	{ "TcpExt:", "ListenOverflows", "tcp.listen_overflows" },
	{ "TcpExt:", "ListenDrops", "tcp.listen_drops" },
	{ "TcpExt:", "TCPMTUPFail", "tcp.mtup_fail" },
	{ "TcpExt:", "TCPMTUPSuccess", "tcp.mtup_success" },
	{ "TcpExt:", "TCPAbortOnTimeout", "tcp.abort_on_timeout" },
	{ "TcpExt:", "TCPMemoryPressures", "tcp.memory_pressures" },
	{ "IpExt:", "InCEPkts", "ip.in_ce_pkts" },
	{ "IpExt:", "InCsumErrors", "ip.in_csum_errors" },
};

static const struct proto_row *row_of(const struct proto_row *rows, size_t n, const char *group,
                                      const char *column)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].column, column) == 0 && strcmp(rows[i].group, group) == 0)
			return &rows[i];
	return NULL;
}

/* The same group stands first in both; there may be fewer values than names. */
static void add_group(struct counters *c, const struct proto_row *rows, size_t n, char *names,
                      char *values)
{
	char *save_n = NULL, *save_v = NULL, *name, *value;
	const char *group = strtok_r(names, " \t\n", &save_n);

	if (!group || !strtok_r(values, " \t\n", &save_v))
		return;
	while ((name = strtok_r(NULL, " \t\n", &save_n)) &&
	       (value = strtok_r(NULL, " \t\n", &save_v))) {
		const struct proto_row *row = row_of(rows, n, group, name);
		uint64_t v;

		if (row && sys_numbers(value, &v, 1) == 1)
			counters_add(c, "", row->name, v, 64);
	}
}

static void add_protocols(struct counters *c, const char *path, const struct proto_row *rows,
                          size_t n)
{
	FILE *f = sys_open(path);
	char *names = hb_alloc(PROTO_LINE), *values = hb_alloc(PROTO_LINE);

	while (f && fgets(names, PROTO_LINE, f) && fgets(values, PROTO_LINE, f)) {
		size_t len = strcspn(names, " ");

		if (strncmp(names, values, len) == 0 && names[len] && values[len] == ' ')
			add_group(c, rows, n, names, values);
	}
	if (f)
		fclose(f);
	free(names);
	free(values);
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b)
{
	const struct counter_value *x = a, *y = b;
	int d = strcmp(x->device, y->device);

	return d ? d : strcmp(x->name, y->name);
}

/* In order, each once. */
static void arrange(struct counters *c)
{
	size_t n = 0;

	if (c->n > 0)
		qsort(c->v, c->n, sizeof(*c->v), by_name);
	for (size_t i = 0; i < c->n; i++)
		if (n == 0 || by_name(&c->v[n - 1], &c->v[i]) != 0)
			c->v[n++] = c->v[i];
	c->n = n;
}

void counters_read(struct counters *out)
{
	struct netdevs devices = { out, 0 };

	*out = (struct counters){ .ns = clock_ns() };
	/* What a rule needs most must not be what is left out. */
	add_protocols(out, "/proc/net/snmp", snmp_rows, sizeof(snmp_rows) / sizeof(*snmp_rows));
	add_protocols(out, "/proc/net/netstat", netstat_rows,
	              sizeof(netstat_rows) / sizeof(*netstat_rows));
	counters_add_ports(out);
	sys_netdevs(take_netdev, &devices);
	arrange(out);
}

void counters_read_again(const struct counters *first, struct counters *out)
{
	uint64_t until = first->ns + (uint64_t)first->lifespan_ms * 1000000, now = clock_ns();

	if (now < until) {
		struct timespec wait = { 0, (long)(until - now) };

		nanosleep(&wait, NULL);
	}
	counters_read(out);
}

void counters_free(struct counters *c)
{
	free(c->v);
	*c = (struct counters){ 0 };
}

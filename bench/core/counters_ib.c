/*
 * Counters of RDMA ports: the standard ones of InfiniBand in the folder counters, the driver's own
 * in hw_counters.
 */
#include <ctype.h>
#include <string.h>

#include "bench/core/counters_parts.h"
#include "bench/core/env_parts.h"
#include "bench/core/sys_net.h"

enum { FILES_MAX = 256, WORD = 4 };

/*
 * Counters of the standard's PortCounters that stay at their end when they reach it, as the
 * specification says (InfiniBand Architecture, volume 1, 16.1.3.5): they never wrap.
 */
static const char *const sticky[] = {
	"excessive_buffer_overrun_errors",
	"link_downed",
	"link_error_recovery",
	"local_link_integrity_errors",
	"port_rcv_constraint_errors",
	"port_rcv_errors",
	"port_rcv_remote_physical_errors",
	"port_rcv_switch_relay_errors",
	"port_xmit_constraint_errors",
	"port_xmit_discards",
	"port_xmit_wait",
	"symbol_error",
	"VL15_dropped",
};

/* Of mlx5: registers of 32 bits that are read for every queue set (drivers/.../mlx5/counters.c). */
static const char *const of_32_bits[] = {
	"duplicate_request",
	"implied_nak_seq_err",
	"local_ack_timeout_err",
	"out_of_buffer",
	"out_of_sequence",
	"packet_seq_err",
	"req_cqe_error",
	"req_cqe_flush_error",
	"req_remote_access_errors",
	"req_remote_invalid_request",
	"req_rnr_retries_exceeded",
	"req_transport_retries_exceeded",
	"resp_cqe_error",
	"resp_cqe_flush_error",
	"resp_local_length_error",
	"resp_remote_access_errors",
	"rnr_nak_retry_err",
	"roce_adp_retrans",
	"roce_adp_retrans_to",
	"roce_slow_restart",
	"roce_slow_restart_cnps",
	"roce_slow_restart_trans",
	"rx_atomic_requests",
	"rx_dct_connect",
	"rx_read_requests",
	"rx_write_requests",
};

/* Where there are no extended counters these have 32 bits. */
static const char *const data_names[] = { "port_rcv_data", "port_xmit_data" };
static const char *const packet_names[] = { "port_rcv_packets", "port_xmit_packets" };
/* Only ports with extended counters have it. */
static const char extended[] = "unicast_xmit_packets";

#define IN(list, name) is_in(list, sizeof(list) / sizeof(*(list)), name)

static bool is_in(const char *const *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i], name) == 0)
			return true;
	return false;
}

struct folder {
	struct counters *c;
	const char *path, *device; /* as facts call it */
	bool wide;                 /* has extended counters */
};

static void add_one(const struct folder *f, const char *name, uint64_t v)
{
	bool wide = f->wide || v > UINT32_MAX;

	if (IN(data_names, name)) {
		/* 2^64 words are more than anybody ever moves. */
		counters_add(f->c, f->device, name, v <= UINT64_MAX / WORD ? v * WORD : UINT64_MAX,
		             wide ? 64 : 34);
	} else if (IN(packet_names, name)) {
		counters_add(f->c, f->device, name, v, wide ? 64 : 32);
	} else if (IN(sticky, name)) {
		counters_add(f->c, f->device, name, v, 0);
	} else {
		counters_add(f->c, f->device, name, v,
		             IN(of_32_bits, name) && v <= UINT32_MAX ? 32 : 64);
	}
}

/* How long the driver tells what it told before, in ms; it is no counter. */
static void take_lifespan(struct counters *c, uint64_t ms)
{
	int most = ms < COUNTERS_LIFESPAN_MS ? (int)ms : COUNTERS_LIFESPAN_MS;

	if (most > c->lifespan_ms)
		c->lifespan_ms = most;
}

static void add_folder(const struct folder *f)
{
	DIR *d = sys_dir(f->path);
	struct dirent *e;

	for (int i = 0; d && i < FILES_MAX && (e = readdir(d)); i++) {
		char path[640], text[64];
		uint64_t v;

		if (e->d_name[0] == '.' || strlen(e->d_name) >= SYS_NAME_MAX)
			continue;
		snprintf(path, sizeof(path), "%.400s/%.99s", f->path, e->d_name);
		if (!sys_line(path, text, sizeof(text)) || sys_numbers(text, &v, 1) != 1)
			continue;
		if (strcmp(e->d_name, "lifespan") == 0)
			take_lifespan(f->c, v);
		else
			add_one(f, e->d_name, v);
	}
	if (d)
		closedir(d);
}

static void take_port(void *ctx, const char *device, const char *port)
{
	char path[2 * SYS_NAME_MAX + 64], name[2 * SYS_NAME_MAX + 2];
	struct folder f = { ctx, path, name, false };
	uint64_t v;

	snprintf(name, sizeof(name), "%s:%s", device, port);
	f.wide = sys_port_counter(device, port, extended, &v);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%s/counters", device, port);
	add_folder(&f);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%s/hw_counters", device, port);
	add_folder(&f);
}

void counters_add_ports(struct counters *c)
{
	sys_ports(take_port, c);
}

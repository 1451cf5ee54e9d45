/* RDMA ports, from /sys alone. */
#include <stdlib.h>
#include <string.h>

#include "bench/base/num.h"
#include "bench/facts/facts_parts.h"

#define CLASS "/sys/class/infiniband"
enum { DEVICES_MAX = 64, PORTS_MAX = 16, GIDS_MAX = 256, GIDS_EMPTY = 16 };

/* A port: its folder, and what facts are told of. */
struct port {
	char device[FACTS_NAME];                      /* "mlx5_0" */
	char folder[FACTS_PATH / 2 + FACTS_NAME + 8]; /* CLASS "/mlx5_0/ports/1" */
	char hca[FACTS_PATH / 2];                     /* CLASS "/mlx5_0" */
	char name[2 * FACTS_NAME];                    /* "mlx5_0:1" */
	char number[FACTS_NAME];                      /* "1" */
	bool ethernet;
};

static const char *of(char path[FACTS_PATH], const char *folder, const char *what)
{
	snprintf(path, FACTS_PATH, "%s/%s", folder, what);
	return path;
}

/* "4: ACTIVE" */
static void tell_state(const struct fact_sink *s, const struct port *p, const char *key,
                       const char *file)
{
	char path[FACTS_PATH], text[FACTS_NAME];
	int failed = facts_line(of(path, p->folder, file), text, sizeof(text));
	const char *word = strchr(text, ':');

	if (failed) {
		fact_tell_errno(s, p->name, key, path, failed);
		return;
	}
	word = word ? word + 1 + strspn(word + 1, " ") : text;
	fact_tell(s, p->name, key, word, path);
}

/* "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)" */
static void tell_rate(const struct fact_sink *s, const struct port *p)
{
	char path[FACTS_PATH], text[FACTS_NAME];
	int failed = facts_line(of(path, p->folder, "rate"), text, sizeof(text));
	const char *end, *open;
	double gbps;

	if (failed) {
		fact_tell_errno(s, p->name, "rdma.rate_bps", path, failed);
		return;
	}
	if (num_parse(text, &end, &gbps) && gbps > 0 && gbps < 1e6)
		fact_tell_f64(s, p->name, "rdma.rate_bps", gbps * 1e9, path);
	open = strchr(text, '(');
	if (open) {
		char *stop;
		unsigned long width = strtoul(open + 1, &stop, 10);

		if (stop != open + 1 && *stop == 'X' && width < 100)
			fact_tell_u64(s, p->name, "rdma.width", width, path);
	}
}

/*
 * The network device of a port: that of its first GIDs; else soft-RoCE's parent, or the one of the
 * adapter's own devices that stands for this port.
 */
static bool find_netdev(const struct port *p, char *out, char source[FACTS_PATH])
{
	char path[FACTS_PATH];
	struct facts_names names;
	uint64_t of_port;
	bool found = false;

	for (int i = 0; i < 4; i++) {
		snprintf(source, FACTS_PATH, "%s/gid_attrs/ndevs/%d", p->folder, i);
		if (facts_line(source, out, FACTS_NAME) == 0 && *out)
			return true;
	}
	of(source, p->hca, "parent");
	if (facts_line(source, out, FACTS_NAME) == 0 && *out)
		return true;
	of(source, p->hca, "device/net");
	facts_names(source, DEVICES_MAX, &names);
	for (size_t i = 0; i < names.n && !found; i++) {
		snprintf(path, sizeof(path), "%s/device/net/%s/dev_port", p->hca, names.v[i]);
		found = names.n == 1 || (facts_u64(path, &of_port) == 0 &&
		                         (long)of_port + 1 == facts_numbered(p->number, ""));
		if (found)
			memcpy(out, names.v[i], sizeof(names.v[i]));
	}
	facts_names_free(&names);
	return found;
}

/*
 * Drivers take the largest of the five sizes that fits into the network device's MTU with the 96
 * bytes that headers may need (kernel, rdma/ib_addr.h, iboe_get_mtu). 0: not even the smallest.
 */
static uint64_t roce_mtu(uint64_t mtu)
{
	for (uint64_t size = 4096; size >= 256; size /= 2)
		if (mtu >= size + 96)
			return size;
	return 0;
}

static void tell_netdev(const struct fact_sink *s, const struct port *p)
{
	char path[FACTS_PATH], netdev[FACTS_NAME] = "", source[FACTS_LINE + FACTS_PATH];
	uint64_t mtu = 0, active;

	if (find_netdev(p, netdev, path)) {
		fact_tell(s, p->name, "rdma.netdev", netdev, path);
		snprintf(path, sizeof(path), "/sys/class/net/%s/mtu", netdev);
		if (facts_u64(path, &mtu) == 0)
			fact_tell_u64(s, p->name, "rdma.netdev_mtu", mtu, path);
	}
	active = p->ethernet ? roce_mtu(mtu) : 0;
	if (active > 0) {
		snprintf(source, sizeof(source), "%s, which the driver derives it from", path);
		fact_tell_u64(s, p->name, "rdma.active_mtu", active, source);
	} else {
		snprintf(source, sizeof(source), "%s: does not tell it; ibv_devinfo does",
		         p->folder);
		fact_tell(s, p->name, "rdma.active_mtu", NULL, source);
	}
}

static bool is_zero(const char *gid)
{
	return gid[strspn(gid, "0:")] == '\0';
}

static void tell_gids(const struct fact_sink *s, const struct port *p)
{
	struct facts_set types = { NULL, 0, 0 };
	struct buf routable = BUF_INIT, kinds = BUF_INIT;
	char path[FACTS_PATH], gid[FACTS_NAME], type[FACTS_NAME];
	size_t n = 0;

	for (int i = 0, empty = 0; i < GIDS_MAX && empty < GIDS_EMPTY; i++) {
		snprintf(path, sizeof(path), "%s/gids/%d", p->folder, i);
		if (facts_line(path, gid, sizeof(gid)) != 0)
			break;
		empty = is_zero(gid) ? empty + 1 : 0;
		if (empty)
			continue;
		n++;
		snprintf(path, sizeof(path), "%s/gid_attrs/types/%d", p->folder, i);
		if (facts_line(path, type, sizeof(type)) != 0 || !*type)
			continue;
		facts_set_add(&types, type);
		if (strcmp(type, "RoCE v2") == 0 && strncmp(gid, "fe80", 4) != 0)
			buf_printf(&routable, "%s%d", routable.len ? "," : "", i);
	}
	facts_set_put(&types, &kinds);
	of(path, p->folder, "gid_attrs/types");
	if (kinds.len > 0)
		fact_tell(s, p->name, "rdma.gid_types", buf_text(&kinds), path);
	if (p->ethernet && n > 0)
		fact_tell(s, p->name, "rdma.gid_routable",
		          routable.len ? buf_text(&routable) : "none", path);
	buf_free(&kinds);
	buf_free(&routable);
}

/* A number in hexadecimal, "0x1a". */
static void tell_lid(const struct fact_sink *s, const struct port *p, const char *key,
                     const char *file)
{
	char path[FACTS_PATH];
	uint64_t v;

	if (facts_u64(of(path, p->folder, file), &v) == 0)
		fact_tell_u64(s, p->name, key, v, path);
}

static void tell_port(const struct fact_sink *s, struct port *p)
{
	static const struct facts_row adapter[] = {
		{ "rdma.guid", "node_guid", SAY_TEXT, ABSENT_SILENT },
		{ "rdma.firmware", "fw_ver", SAY_TEXT, ABSENT_SILENT },
		{ "rdma.model", "hca_type", SAY_TEXT, ABSENT_SILENT },
		{ "rdma.board", "board_id", SAY_TEXT, ABSENT_SILENT },
		{ NULL, NULL, SAY_TEXT, ABSENT_SILENT },
	};
	char path[FACTS_PATH], layer[FACTS_NAME];

	snprintf(p->folder, sizeof(p->folder), "%s/ports/%s", p->hca, p->number);
	snprintf(p->name, sizeof(p->name), "%s:%s", p->device, p->number);
	tell_state(s, p, "rdma.state", "state");
	tell_state(s, p, "rdma.phys_state", "phys_state");
	tell_rate(s, p);
	facts_line(of(path, p->folder, "link_layer"), layer, sizeof(layer));
	p->ethernet = strcmp(layer, "Ethernet") == 0;
	if (*layer)
		fact_tell(s, p->name, "rdma.link_layer", layer, path);
	tell_netdev(s, p);
	tell_gids(s, p);
	if (!p->ethernet) {
		tell_lid(s, p, "rdma.lid", "lid");
		tell_lid(s, p, "rdma.sm_lid", "sm_lid");
	}
	facts_say_all(s, p->name, p->hca, adapter);
	if (facts_exists(of(path, p->hca, "device")))
		facts_say_pcie(s, p->name, "rdma", path);
}

void facts_rdma(const struct fact_sink *s)
{
	struct facts_names devices, ports;
	char path[FACTS_PATH];

	facts_names(CLASS, DEVICES_MAX, &devices);
	for (size_t i = 0; i < devices.n; i++) {
		struct port p = { .ethernet = false };

		memcpy(p.device, devices.v[i], sizeof(p.device));
		snprintf(p.hca, sizeof(p.hca), CLASS "/%s", p.device);
		facts_names(of(path, p.hca, "ports"), PORTS_MAX, &ports);
		for (size_t k = 0; k < ports.n; k++) {
			memcpy(p.number, ports.v[k], sizeof(p.number));
			tell_port(s, &p);
		}
		facts_names_free(&ports);
	}
	facts_names_free(&devices);
}

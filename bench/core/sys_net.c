#include "bench/core/sys_net.h"

#include <ctype.h>
#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "bench/core/env_parts.h"

enum { LINE_MAX_BYTES = 1024, DEVICES_MAX = 64, PORTS_MAX = 64 };

int sys_net_ioctl(int fd, const char *device, unsigned long what, struct ifreq *r)
{
	if (fd < 0)
		return EBADF;
	if (strlen(device) >= sizeof(r->ifr_name))
		return ENAMETOOLONG;
	memcpy(r->ifr_name, device, strlen(device) + 1);
	return ioctl(fd, what, r) < 0 ? errno : 0;
}

int sys_ethtool(int fd, const char *device, void *command)
{
	struct ifreq r = { .ifr_data = command };

	return sys_net_ioctl(fd, device, SIOCETHTOOL, &r);
}

size_t sys_numbers(const char *text, uint64_t *out, size_t max)
{
	size_t n = 0;

	while (n < max) {
		char *end;

		while (isblank((unsigned char)*text))
			text++;
		if (!isdigit((unsigned char)*text))
			break;
		out[n++] = strtoull(text, &end, 10);
		text = end;
	}
	return n;
}

void sys_netdevs(void (*take)(void *ctx, const char *name, const uint64_t *v, size_t n), void *ctx)
{
	FILE *f = sys_open("/proc/net/dev");
	char line[LINE_MAX_BYTES];

	while (f && fgets(line, sizeof(line), f)) {
		uint64_t v[SYS_NET_COLUMNS] = { 0 };
		char *name = line + strspn(line, " \t"), *colon = strrchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		take(ctx, name, v, sys_numbers(colon + 1, v, SYS_NET_COLUMNS));
	}
	if (f)
		fclose(f);
}

/* True for what is no entry, or has a name that nothing here has. */
static bool odd(const char *name)
{
	return name[0] == '.' || strlen(name) >= SYS_NAME_MAX;
}

static void ports_of(const char *device,
                     void (*take)(void *ctx, const char *device, const char *port), void *ctx)
{
	char path[SYS_NAME_MAX + 64];
	struct dirent *e;
	DIR *ports;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports", device);
	ports = sys_dir(path);
	for (int i = 0; ports && i < PORTS_MAX && (e = readdir(ports)); i++)
		if (!odd(e->d_name))
			take(ctx, device, e->d_name);
	if (ports)
		closedir(ports);
}

void sys_ports(void (*take)(void *ctx, const char *device, const char *port), void *ctx)
{
	DIR *d = sys_dir("/sys/class/infiniband");
	struct dirent *e;

	for (int i = 0; d && i < DEVICES_MAX && (e = readdir(d)); i++)
		if (!odd(e->d_name))
			ports_of(e->d_name, take, ctx);
	if (d)
		closedir(d);
}

bool sys_port_counter(const char *device, const char *port, const char *name, uint64_t *out)
{
	char path[3 * SYS_NAME_MAX + 64], text[64];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%.99s/ports/%.99s/counters/%.99s",
	         device, port, name);
	return sys_line(path, text, sizeof(text)) && sys_numbers(text, out, 1) == 1;
}

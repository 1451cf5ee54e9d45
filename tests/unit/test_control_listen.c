/* Where the control channel listens and which addresses it tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/control/control_parts.h"

static char *ordered(const struct ctl_interface *v, size_t n, const char *first)
{
	struct ctl_addresses *l = hb_alloc(sizeof *l);
	struct buf b = BUF_INIT;

	ctl_addresses_order(v, n, first, l);
	for (size_t i = 0; i < l->n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", l->v[i]);
	free(l);
	return buf_detach(&b);
}

static void the_address_towards_the_nodes_comes_first_and_bridges_last(void **state)
{
	static const struct ctl_interface v[] = {
		{ "docker0", "172.17.0.1" },   { "eth0", "192.0.2.7" },
		{ "virbr0", "192.168.122.1" }, { "ib0", "10.1.0.7" },
		{ "eth0", "2001:db8::7" },     { "br-1a2b", "172.18.0.1" },
	};
	size_t n = sizeof v / sizeof v[0];
	char *text = ordered(v, n, "10.1.0.7");

	(void)state;
	assert_string_equal(text, "10.1.0.7 192.0.2.7 2001:db8::7 172.17.0.1 192.168.122.1 "
	                          "172.18.0.1");
	free(text);
	text = ordered(v, n, NULL);
	assert_string_equal(text, "192.0.2.7 10.1.0.7 2001:db8::7 172.17.0.1 192.168.122.1 "
	                          "172.18.0.1");
	free(text);
	/* A route that no interface shows (a name that leads elsewhere) is still told. */
	text = ordered(v, 1, "198.51.100.1");
	assert_string_equal(text, "198.51.100.1 172.17.0.1");
	free(text);
}

static void addresses_of_one_host_only_are_never_told(void **state)
{
	static const struct {
		const char *text;
		bool told;
	} v4[] = { { "127.0.0.1", false }, { "127.9.9.9", false }, { "169.254.1.1", false },
		   { "0.0.0.0", false },   { "10.0.0.1", true },   { "192.0.2.1", true },
		   { "169.253.1.1", true } },
	  v6[] = { { "::1", false },
		   { "fe80::1", false },
		   { "::", false },
		   { "2001:db8::1", true },
		   { "fd00::2", true } };
	char out[CTL_ADDRESS_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof v4 / sizeof v4[0]; i++) {
		struct sockaddr_in a = { .sin_family = AF_INET };
		assert_int_equal(inet_pton(AF_INET, v4[i].text, &a.sin_addr), 1);
		assert_int_equal(ctl_address_text((struct sockaddr *)&a, out), v4[i].told);
	}
	for (size_t i = 0; i < sizeof v6 / sizeof v6[0]; i++) {
		struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
		assert_int_equal(inet_pton(AF_INET6, v6[i].text, &a.sin6_addr), 1);
		assert_int_equal(ctl_address_text((struct sockaddr *)&a, out), v6[i].told);
	}
}

static int listen_with(struct ctl_params p, struct ctl **c, struct hb_err *err)
{
	p.run = "run-1";
	return ctl_open(&p, c, err);
}

static void without_remote_ranks_it_listens_on_loopback_alone(void **state)
{
	struct ctl *c = NULL;
	struct hb_err err;
	char text[64];

	(void)state;
	assert_int_equal(listen_with((struct ctl_params){ 0 }, &c, &err), HB_OK);
	snprintf(text, sizeof text, "127.0.0.1:%d", ctl_port(c));
	assert_string_equal(ctl_address(c), text);
	ctl_close(c);
}

static bool connects(const char *address, int port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
	bool six = strchr(address, ':') != NULL;
	const struct sockaddr *a = six ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
	socklen_t len = six ? sizeof v6 : sizeof v4;
	int fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = inet_pton(a->sa_family, address,
	                    six ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr) == 1 &&
	          connect(fd, a, len) == 0;

	close(fd);
	return ok;
}

/* Takes the port, and the brackets of IPv6, from one told address. */
static char *bare(char *told)
{
	char *colon = strrchr(told, ':');

	assert_non_null(colon);
	if (*told != '[') {
		*colon = '\0';
		return told;
	}
	assert_int_equal(colon[-1], ']');
	colon[-1] = '\0';
	return told + 1;
}

/* A server for ranks elsewhere; skips on a host with nothing but loopback. */
static struct ctl *open_remote(const char *first_node)
{
	struct ctl_params p = { .remote = true, .first_node = first_node };
	struct ctl *c = NULL;
	struct hb_err err;

	if (listen_with(p, &c, &err) == HB_OK)
		return c;
	assert_non_null(strstr(err.text, "--control-address"));
	print_message("this host has no address but loopback\n");
	skip();
	return NULL;
}

static void with_remote_ranks_every_told_address_can_be_reached(void **state)
{
	struct ctl *c = open_remote("no-such-host.invalid");
	char *list = hb_strdup(ctl_address(c)), *save = NULL;
	int n = 0;

	(void)state;
	for (char *a = strtok_r(list, ",", &save); a; a = strtok_r(NULL, ",", &save), n++) {
		a = bare(a);
		assert_int_not_equal(strncmp(a, "127.", 4), 0);
		assert_string_not_equal(a, "::1");
		assert_true(connects(a, ctl_port(c)));
	}
	assert_true(n > 0);
	free(list);
	ctl_close(c);
}

/* Towards an address of this host the kernel picks that address itself. */
static void the_address_towards_the_first_node_is_told_first(void **state)
{
	struct ctl *c = open_remote(NULL), *again;
	char *list = hb_strdup(ctl_address(c)), *save = NULL, *told;

	(void)state;
	ctl_close(c);
	for (char *a = strtok_r(list, ",", &save); a; a = strtok_r(NULL, ",", &save)) {
		a = bare(a);
		again = open_remote(a);
		told = hb_strdup(ctl_address(again));
		told[strcspn(told, ",")] = '\0';
		assert_string_equal(bare(told), a);
		free(told);
		ctl_close(again);
	}
	free(list);
	c = open_remote("127.0.0.1"); /* towards loopback: of no use to others */
	assert_null(strstr(ctl_address(c), "127.0.0.1"));
	ctl_close(c);
}

static void no_more_addresses_are_told_than_ranks_try(void **state)
{
	enum { N = CTL_ADDRESSES_MAX + 10 };
	struct ctl_interface *v = hb_alloc(N * sizeof *v);
	struct ctl_addresses *l = hb_alloc(sizeof *l);

	(void)state;
	for (int i = 0; i < N; i++) {
		snprintf(v[i].name, sizeof v[i].name, "eth%d", i);
		snprintf(v[i].address, sizeof v[i].address, "10.0.%d.1", i);
	}
	ctl_addresses_order(v, N, "10.9.9.9", l);
	assert_int_equal(l->n, CTL_ADDRESSES_MAX);
	assert_string_equal(l->v[0], "10.9.9.9");
	assert_string_equal(l->v[CTL_ADDRESSES_MAX - 1], "10.0.62.1");
	for (int i = 0; i < N; i++)
		snprintf(v[i].address, sizeof v[i].address, "10.0.0.1");
	ctl_addresses_order(v, N, "10.0.0.1", l);
	assert_int_equal(l->n, 1);
	ctl_addresses_order(v, 0, NULL, l);
	assert_int_equal(l->n, 0);
	free(v);
	free(l);
}

static void one_address_is_listened_on_and_told_alone(void **state)
{
	struct ctl_params p = { .remote = true, .address = "127.0.0.1", .first_node = "127.0.0.1" };
	struct ctl *c = NULL;
	struct hb_err err;
	char text[64];

	(void)state;
	assert_int_equal(listen_with(p, &c, &err), HB_OK);
	snprintf(text, sizeof text, "127.0.0.1:%d", ctl_port(c));
	assert_string_equal(ctl_address(c), text);
	assert_false(connects("127.0.0.2", ctl_port(c)));
	ctl_close(c);
	p.address = "192.0.2.99"; /* kept for documentation: nobody has it */
	assert_int_equal(listen_with(p, &c, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "not an address of this host"));
	p.address = "login1";
	assert_int_equal(listen_with(p, &c, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "numeric"));
}

static void an_address_that_no_other_node_can_use_is_refused(void **state)
{
	static const char *const bad[] = { "0.0.0.0", "::", "fe80::1" };
	struct ctl *c = NULL;
	struct hb_err err;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ctl_params p = { .remote = true, .address = bad[i] };
		assert_int_equal(listen_with(p, &c, &err), HB_E_USAGE);
		assert_non_null(strstr(err.text, "--control-address"));
		assert_non_null(strstr(err.text, bad[i]));
	}
}

/* Holds a port of all addresses, so that nobody else gets it; -1: somebody has it. */
static int hold(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&a, sizeof a) == 0)
		return fd;
	close(fd);
	return -1;
}

enum { HELD = 5, LOWEST = 20000, HIGHEST = 32000 };

/* Holds HELD neighbouring ports, below those that the kernel gives away by itself. */
static int hold_range(int fd[HELD])
{
	int n = 0;

	for (int port = LOWEST + (int)(getpid() % 1000) * HELD; port < HIGHEST; port++) {
		fd[n] = hold(port);
		if (fd[n] < 0) {
			while (n > 0)
				close(fd[--n]);
		} else if (++n == HELD) {
			return port - HELD + 1;
		}
	}
	fail_msg("no %d neighbouring ports are free", HELD);
	return 0;
}

static void of_a_range_of_ports_the_free_one_is_found(void **state)
{
	struct ctl *c = NULL;
	struct hb_err err;
	int fd[HELD];
	int lo = hold_range(fd);

	(void)state;
	for (int remote = 0; remote < 2; remote++) {
		for (int i = 0; i < HELD; i++) {
			struct ctl_params p = { .port_lo = lo, .port_hi = lo + HELD - 1 };
			/* To this address, since the machine may have no other. */
			p.remote = remote;
			p.address = "127.0.0.1";
			close(fd[i]);
			assert_int_equal(listen_with(p, &c, &err), HB_OK);
			assert_int_equal(ctl_port(c), lo + i);
			ctl_close(c);
			fd[i] = hold(lo + i);
			assert_true(fd[i] >= 0);
		}
	}
	for (int i = 0; i < HELD; i++)
		close(fd[i]);
}

static void a_range_with_no_free_port_is_named(void **state)
{
	struct ctl_params p = { 0 };
	struct ctl *c = NULL;
	struct hb_err err;
	char range[32];
	int fd[HELD];

	(void)state;
	p.port_lo = hold_range(fd);
	p.port_hi = p.port_lo + HELD - 1;
	snprintf(range, sizeof range, "%d-%d", p.port_lo, p.port_hi);
	for (int remote = 0; remote < 2; remote++) {
		p.remote = remote;
		assert_int_equal(listen_with(p, &c, &err), HB_E_IO);
		assert_non_null(strstr(err.text, range));
		assert_null(strchr(err.text, '\n'));
	}
	for (int i = 0; i < HELD; i++)
		close(fd[i]);
}

/* The kernel remembers connections for a minute; the next run must not wait for that. */
static void a_port_is_free_again_as_soon_as_its_server_is_gone(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	struct ctl_params p = { 0 };
	struct ctl *c = NULL;
	struct hb_err err;
	int fd[HELD], client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char byte;

	(void)state;
	p.port_lo = p.port_hi = hold_range(fd);
	for (int i = 0; i < HELD; i++)
		close(fd[i]);
	assert_int_equal(listen_with(p, &c, &err), HB_OK);
	a.sin_port = htons((uint16_t)ctl_port(c));
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(client, (struct sockaddr *)&a, sizeof a), 0);
	ctl_service(c); /* greets */
	ctl_close(c);   /* ends first */
	while (read(client, &byte, 1) > 0)
		;
	close(client);
	assert_int_equal(listen_with(p, &c, &err), HB_OK);
	assert_int_equal(ctl_port(c), p.port_lo);
	ctl_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_address_towards_the_nodes_comes_first_and_bridges_last),
		cmocka_unit_test(addresses_of_one_host_only_are_never_told),
		cmocka_unit_test(without_remote_ranks_it_listens_on_loopback_alone),
		cmocka_unit_test(with_remote_ranks_every_told_address_can_be_reached),
		cmocka_unit_test(the_address_towards_the_first_node_is_told_first),
		cmocka_unit_test(no_more_addresses_are_told_than_ranks_try),
		cmocka_unit_test(one_address_is_listened_on_and_told_alone),
		cmocka_unit_test(an_address_that_no_other_node_can_use_is_refused),
		cmocka_unit_test(of_a_range_of_ports_the_free_one_is_found),
		cmocka_unit_test(a_range_with_no_free_port_is_named),
		cmocka_unit_test(a_port_is_free_again_as_soon_as_its_server_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

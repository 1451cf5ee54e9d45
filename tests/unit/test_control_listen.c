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
#include "harness/control_parts.h"

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

static int connects(const char *address, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ok = inet_pton(AF_INET, address, &a.sin_addr) == 1 &&
	         connect(fd, (struct sockaddr *)&a, sizeof a) == 0;

	close(fd);
	return ok;
}

static void with_remote_ranks_every_told_address_can_be_reached(void **state)
{
	struct ctl_params p = { .remote = true, .first_node = "no-such-host.invalid" };
	struct ctl *c = NULL;
	struct hb_err err;
	char *list, *save = NULL;

	(void)state;
	if (listen_with(p, &c, &err) != HB_OK) {
		assert_non_null(strstr(err.text, "--control-address"));
		skip(); /* a host with nothing but loopback */
	}
	list = hb_strdup(ctl_address(c));
	assert_null(strstr(list, "127.0.0.1"));
	for (char *a = strtok_r(list, ",", &save); a; a = strtok_r(NULL, ",", &save)) {
		if (*a == '[')
			continue;
		a[strcspn(a, ":")] = '\0';
		assert_true(connects(a, ctl_port(c)));
	}
	free(list);
	ctl_close(c);
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

static void ports_come_from_the_range_until_none_is_left(void **state)
{
	enum { N = 3 };
	struct ctl *c[N + 1] = { NULL };
	struct ctl_params p = { 0 };
	struct hb_err err;
	int free_port;

	(void)state;
	/* A range that is free just now: an ephemeral port and the two behind it. */
	do {
		assert_int_equal(listen_with((struct ctl_params){ 0 }, &c[0], &err), HB_OK);
		free_port = ctl_port(c[0]);
		ctl_close(c[0]);
		c[0] = NULL;
	} while (free_port > 65000);
	p.port_lo = free_port;
	p.port_hi = free_port + N - 1;
	for (int i = 0; i < N; i++) {
		if (listen_with(p, &c[i], &err) != HB_OK)
			break; /* somebody else has one of them */
		assert_in_range(ctl_port(c[i]), p.port_lo, p.port_hi);
	}
	assert_non_null(c[0]);
	assert_int_equal(listen_with(p, &c[N], &err), HB_E_IO);
	assert_non_null(strstr(err.text, "no port of"));
	for (int i = 0; i < N; i++)
		ctl_close(c[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_address_towards_the_nodes_comes_first_and_bridges_last),
		cmocka_unit_test(addresses_of_one_host_only_are_never_told),
		cmocka_unit_test(without_remote_ranks_it_listens_on_loopback_alone),
		cmocka_unit_test(with_remote_ranks_every_told_address_can_be_reached),
		cmocka_unit_test(one_address_is_listened_on_and_told_alone),
		cmocka_unit_test(ports_come_from_the_range_until_none_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

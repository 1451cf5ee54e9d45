/* What a hello and its answer say beside who is who: clocks, addresses, what is to be told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <math.h>
#include <time.h>

#include "ctl_client.h"
#include "harness/control/control_parts.h"

enum { RANKS = 2 };

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A clock that is so much ahead. */
static json_object *clock_ahead(json_object *o, double s)
{
	js_set_i64(o, "time_ns", now_ns() + (int64_t)(s * 1e9));
	return o;
}

static struct client greeted(struct ctl *c)
{
	struct client k = client_connect(c);

	assert_true(client_is(&k, "greeting"));
	return k;
}

static void expect_offset(const struct client_seen *s, double want)
{
	assert_true(s->bound_s >= 0 && s->bound_s < 60);
	assert_true(fabs(s->offset_s - want) <= s->bound_s + 1e-6);
}

static void a_clock_lies_within_its_bound_of_ours(void **state)
{
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &s, RANKS);
	struct client k = greeted(c);

	(void)state;
	client_send(&k, clock_ahead(client_hello(c, 1, RANKS), -120));
	assert_true(client_is(&k, "ok"));
	expect_offset(&s, -120);
	/* An address of this host alone says nothing. */
	assert_string_equal(s.address, "");
	client_close(&k);
	ctl_close(c);
}

static void the_first_words_count_and_not_a_hello_after_a_long_start(void **state)
{
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &s, RANKS);
	struct client k = greeted(c);

	(void)state;
	client_send(&k, clock_ahead(client_starting(c, "n1"), 120));
	assert_true(client_is(&k, "ok"));
	client_send(&k, clock_ahead(client_hello(c, 0, RANKS), 500));
	assert_true(client_is(&k, "ok"));
	expect_offset(&s, 120);
	client_close(&k);
	ctl_close(c);
}

static void who_tells_no_time_has_no_known_clock(void **state)
{
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &s, RANKS);
	struct client k = client_join(c, 0, RANKS);

	(void)state;
	assert_true(client_is(&k, "ok"));
	assert_true(s.bound_s < 0);
	client_close(&k);
	ctl_close(c);
}

static void the_offset_is_taken_from_the_middle(void **state)
{
	json_object *o = json_object_new_object();
	struct ctl_clock clock;

	(void)state;
	js_set_i64(o, "time_ns", 12000000000);
	clock = ctl_clock_of(o, 8000000000, 10000000000);
	assert_true(fabs(clock.offset_s - 3) < 1e-9 && fabs(clock.bound_s - 1) < 1e-9);
	/* Our own clock was set back meanwhile. */
	assert_true(ctl_clock_of(o, 10000000000, 8000000000).bound_s < 0);
	js_set_i64(o, "time_ns", INT64_MAX);
	assert_true(isfinite(ctl_clock_of(o, 0, INT64_MAX).offset_s));
	js_set_i64(o, "time_ns", -1);
	assert_true(ctl_clock_of(o, 0, 1).bound_s < 0);
	js_set_str(o, "time_ns", "noon");
	assert_true(ctl_clock_of(o, 0, 1).bound_s < 0);
	js_put(o);
}

static void an_answer_asks_for_what_its_owner_wants(void **state)
{
	struct client_seen s;
	struct ctl *c = client_server((struct ctl_params){ 0 }, &s, RANKS);
	struct client k[RANKS];
	json_object *o;

	(void)state;
	k[0] = greeted(c);
	k[1] = greeted(c);
	s.wish = (struct ctl_wish){ true, 1 };
	client_send(&k[0], client_hello(c, 0, RANKS));
	o = client_recv(&k[0]);
	assert_string_equal(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
	                    "{\"msg\":\"ok\",\"facts\":true,\"first\":true}");
	js_put(o);
	s.wish = (struct ctl_wish){ false, 0 };
	client_send(&k[1], client_hello(c, 1, RANKS));
	o = client_recv(&k[1]);
	assert_string_equal(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
	                    "{\"msg\":\"ok\",\"first\":false}");
	js_put(o);
	client_close(&k[0]);
	client_close(&k[1]);
	ctl_close(c);
}

static void an_address_is_told_as_it_is_written(void **state)
{
	static const struct {
		const char *in, *out; /* NULL: none that others could use */
	} rows[] = {
		{ "::ffff:10.1.2.3", "10.1.2.3" },
		{ "fd00::17", "fd00::17" },
		{ "::ffff:127.0.0.1", NULL },
		{ "::1", NULL },
		{ "fe80::1", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
		char text[CTL_ADDRESS_TEXT] = "";

		assert_int_equal(inet_pton(AF_INET6, rows[i].in, &a.sin6_addr), 1);
		assert_int_equal(ctl_peer_text((struct sockaddr *)&a, text), rows[i].out != NULL);
		if (rows[i].out)
			assert_string_equal(text, rows[i].out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_lies_within_its_bound_of_ours),
		cmocka_unit_test(the_first_words_count_and_not_a_hello_after_a_long_start),
		cmocka_unit_test(who_tells_no_time_has_no_known_clock),
		cmocka_unit_test(the_offset_is_taken_from_the_middle),
		cmocka_unit_test(an_answer_asks_for_what_its_owner_wants),
		cmocka_unit_test(an_address_is_told_as_it_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

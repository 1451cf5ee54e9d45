/* node.peers between ranks that are threads, over real sockets on the loopback device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/node/peers.h"

enum { NODES_MAX = 4, FACTS_MAX = 64 };

/* Loaded hosts get all the time there is where an answer is expected, and little where none is. */
#define PATIENT_S 20.0
#define SHORT_S   0.2

/* ---- names ---- */

static atomic_int asleep;

static void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static void known_names(const char *name, struct name_found *out)
{
	*out = (struct name_found){ .why = "" };
	if (strcmp(name, "lost") == 0) {
		snprintf(out->why, sizeof(out->why), "nobody has that name");
		return;
	}
	if (strcmp(name, "dead") == 0) {
		atomic_fetch_add(&asleep, 1);
		nap(600);
		atomic_fetch_sub(&asleep, 1);
	}
	snprintf(out->first, sizeof(out->first), "127.0.0.%c", name[strlen(name) - 1]);
	if (name[0] != 'n')
		snprintf(out->first, sizeof(out->first), "127.0.0.9");
	snprintf(out->all, sizeof(out->all), "%s,::9", out->first);
}

/* ---- nodes ---- */

struct fact {
	char device[64], key[32], value[320], source[240];
	bool has;
};

struct node {
	struct peers p;
	struct fact_sink sink;
	struct fact v[FACTS_MAX];
	size_t n;
	struct hb_err err;
	int rc;
	pthread_t thread;
};

static void keep(void *ctx, const char *device, const char *key, const char *value,
                 const char *source)
{
	struct node *n = ctx;
	struct fact *f = &n->v[n->n++];

	snprintf(f->device, sizeof(f->device), "%s", device);
	snprintf(f->key, sizeof(f->key), "%s", key);
	snprintf(f->source, sizeof(f->source), "%s", source);
	f->has = value != NULL;
	if (value)
		snprintf(f->value, sizeof(f->value), "%s", value);
}

static const struct fact *fact_of(const struct node *n, const char *peer, const char *key)
{
	char device[64];

	snprintf(device, sizeof(device), "peer:%s", peer);
	for (size_t i = 0; i < n->n; i++)
		if (strcmp(n->v[i].device, device) == 0 && strcmp(n->v[i].key, key) == 0)
			return &n->v[i];
	fail_msg("nothing was told of %s %s", peer, key);
	return NULL;
}

static void assert_fact(const struct node *n, const char *peer, const char *key, const char *value)
{
	const struct fact *f = fact_of(n, peer, key);

	assert_true(f->has);
	assert_string_equal(f->value, value);
}

static int listen_here(int *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 128), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

/* Nodes n1, n2 ... that all see the same; tests change what they see before meet. */
struct world {
	struct peer_seen seen[NODES_MAX];
	struct node node[NODES_MAX];
	int listener[NODES_MAX];
	size_t n;
};

static void world_make(struct world *w, size_t n)
{
	static const char *const names[NODES_MAX] = { "n1", "n2", "n3", "n4" };

	*w = (struct world){ .n = n };
	for (size_t i = 0; i < n; i++) {
		w->seen[i] = (struct peer_seen){ names[i], "127.0.0.1", 0 };
		w->listener[i] = listen_here(&w->seen[i].port);
	}
	for (size_t i = 0; i < n; i++) {
		struct node *o = &w->node[i];

		o->sink = (struct fact_sink){ keep, o };
		o->p = (struct peers){ .run = "run-1",
			               .v = w->seen,
			               .n = n,
			               .me = i,
			               .listener = w->listener[i],
			               .resolve_s = PATIENT_S,
			               .connect_s = PATIENT_S,
			               .late_s = PATIENT_S,
			               .linger_s = 0.001,
			               .resolve = known_names,
			               .sink = &o->sink };
	}
}

static void *one_node(void *arg)
{
	struct node *n = arg;

	n->rc = peers_tell(&n->p, &n->err);
	return NULL;
}

/* The first so many nodes meet; the others only listen. */
static void meet(struct world *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(pthread_create(&w->node[i].thread, NULL, one_node, &w->node[i]),
		                 0);
	for (size_t i = 0; i < n; i++) {
		pthread_join(w->node[i].thread, NULL);
		if (w->node[i].rc != HB_OK)
			fail_msg("%s", w->node[i].err.text);
	}
}

static void be_short(struct world *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->node[i].p.connect_s = w->node[i].p.late_s = SHORT_S;
	for (size_t i = 0; i < w->n; i++)
		w->node[i].p.resolve_s = SHORT_S;
}

static void world_drop(struct world *w)
{
	for (size_t i = 0; i < w->n; i++)
		close(w->listener[i]);
	while (atomic_load(&asleep) > 0)
		nap(5);
}

static int dial(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

/* As that node would, so that nobody waits for it. */
static int knock(int port, const char *node)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "hpcbench-peer run-1 %s\n", node), fd = dial(port);

	assert_int_equal(send(fd, line, (size_t)n, MSG_NOSIGNAL), n);
	return fd;
}

/* ---- tests ---- */

static void everybody_meets_everybody_both_ways(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, 4);
	meet(&w, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(w.node[i].n, 3 * 4);
		for (size_t k = 0; k < 4; k++) {
			char address[32];

			if (k == i)
				continue;
			snprintf(address, sizeof(address), "127.0.0.%zu,::9", k + 1);
			assert_fact(&w.node[i], w.seen[k].node, "peer.address", address);
			assert_fact(&w.node[i], w.seen[k].node, "peer.connect", "ok");
			assert_true(fact_of(&w.node[i], w.seen[k].node, "peer.heard_from")->has);
			assert_true(fact_of(&w.node[i], w.seen[k].node, "peer.connect_s")->has);
		}
	}
	assert_string_equal(fact_of(&w.node[0], "n2", "peer.connect")->source, "TCP to 127.0.0.2");
	world_drop(&w);
}

static void a_node_alone_meets_itself(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, 1);
	meet(&w, 1);
	assert_fact(&w.node[0], "n1", "peer.connect", "ok");
	assert_true(fact_of(&w.node[0], "n1", "peer.heard_from")->has);
	world_drop(&w);
}

static void who_does_not_answer_or_listen_is_told_as_such(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, 4);
	be_short(&w);
	close(w.listener[2]); /* n3: nobody is at its port */
	w.listener[2] = -1;
	w.seen[3].port = 0; /* n4: told none */
	meet(&w, 1);
	assert_fact(&w.node[0], "n2", "peer.connect", "connected, but no answer in 0.2 s");
	assert_fact(&w.node[0], "n3", "peer.connect", "refused");
	assert_false(fact_of(&w.node[0], "n4", "peer.connect")->has);
	assert_string_equal(fact_of(&w.node[0], "n4", "peer.connect")->source, "it told no port");
	assert_false(fact_of(&w.node[0], "n2", "peer.heard_from")->has);
	world_drop(&w);
}

static void another_node_behind_an_address_is_named(void **state)
{
	struct world w;
	int fd[2];

	(void)state;
	world_make(&w, 3);
	w.seen[2].port = w.seen[1].port; /* the address of n3 belongs to n2 too */
	fd[0] = knock(w.seen[0].port, "n3");
	fd[1] = knock(w.seen[1].port, "n3");
	w.node[1].p.linger_s = 0.4;
	meet(&w, 2);
	assert_fact(&w.node[0], "n3", "peer.connect", "n2 answered");
	assert_fact(&w.node[0], "n2", "peer.connect", "ok");
	assert_fact(&w.node[1], "n1", "peer.connect", "ok");
	close(fd[0]);
	close(fd[1]);
	world_drop(&w);
}

static void a_name_without_an_address_is_reached_where_hpcbench_saw_it(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, 2);
	w.seen[1].node = "lost";
	meet(&w, 2);
	assert_false(fact_of(&w.node[0], "lost", "peer.address")->has);
	assert_string_equal(fact_of(&w.node[0], "lost", "peer.address")->source,
	                    "getaddrinfo: nobody has that name");
	assert_fact(&w.node[0], "lost", "peer.connect", "ok");
	assert_string_equal(fact_of(&w.node[0], "lost", "peer.connect")->source,
	                    "TCP to 127.0.0.1, where hpcbench saw it");
	world_drop(&w);
	/* And where nobody ever saw it, nothing is tried. */
	world_make(&w, 2);
	be_short(&w);
	w.seen[1] = (struct peer_seen){ "lost", NULL, w.seen[1].port };
	meet(&w, 1);
	assert_false(fact_of(&w.node[0], "lost", "peer.connect")->has);
	world_drop(&w);
}

static void a_dead_name_server_is_not_waited_for(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, 2);
	w.seen[1].node = "dead";
	for (size_t i = 0; i < 2; i++)
		w.node[i].p.resolve_s = SHORT_S;
	meet(&w, 2);
	assert_false(fact_of(&w.node[0], "dead", "peer.address")->has);
	assert_string_equal(fact_of(&w.node[0], "dead", "peer.address")->source,
	                    "getaddrinfo: no answer in 0.2 s");
	assert_fact(&w.node[0], "dead", "peer.connect", "ok");
	assert_fact(&w.node[1], "n1", "peer.connect", "ok");
	world_drop(&w);
}

/* Answers the first connection with a line that is none of ours. */
static void *stranger(void *arg)
{
	int fd = -1;

	for (int i = 0; i < 4000 && fd < 0; i++) {
		fd = accept(*(int *)arg, NULL, NULL);
		nap(fd < 0 ? 5 : 0);
	}
	if (fd >= 0 && send(fd, "220 ready\n", 10, MSG_NOSIGNAL) != 10)
		fail();
	nap(50);
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void something_else_behind_the_port_is_told_as_such(void **state)
{
	struct world w;
	pthread_t thread;
	int fd;

	(void)state;
	world_make(&w, 2);
	fd = knock(w.seen[0].port, "n2");
	assert_int_equal(pthread_create(&thread, NULL, stranger, &w.listener[1]), 0);
	meet(&w, 1);
	pthread_join(thread, NULL);
	close(fd);
	assert_fact(&w.node[0], "n2", "peer.connect", "something that is not hpcbench answered");
	world_drop(&w);
}

static void strangers_who_connect_do_no_harm(void **state)
{
	static const char *const words[] = { "hpcbench-peer run-2 n2\n", "GET / HTTP/1.1\r\n", "\n",
		                             "hpcbench-peer", "hpcbench-peer run-1 \n" };
	enum { STRANGERS = 40 };
	char heap[2000], answer[64];
	int fd[STRANGERS];
	struct world w;

	(void)state;
	memset(heap, 'x', sizeof(heap));
	world_make(&w, 2);
	for (size_t i = 0; i < 2; i++)
		w.node[i].p.late_s = SHORT_S;
	for (int i = 0; i < STRANGERS; i++) {
		fd[i] = dial(w.seen[0].port);
		if (i % 8 == 7)
			assert_true(send(fd[i], heap, sizeof(heap), MSG_NOSIGNAL) > 0);
		else if (i % 8 < 5)
			assert_true(send(fd[i], words[i % 8], strlen(words[i % 8]), MSG_NOSIGNAL) >
			            0);
	}
	meet(&w, 2);
	assert_fact(&w.node[0], "n2", "peer.connect", "ok");
	assert_fact(&w.node[1], "n1", "peer.connect", "ok");
	/* Nobody was told anything. */
	for (int i = 0; i < STRANGERS; i++) {
		assert_true(recv(fd[i], answer, sizeof(answer), 0) <= 0);
		close(fd[i]);
	}
	world_drop(&w);
}

static void a_name_that_gets_known_is_heard_whatever_is_asked_meanwhile(void **state)
{
	static const char *const two[] = { "dead", "n2" };
	struct names *s = names_start(two, 2, known_names);
	struct pollfd fd = { names_fd(s), POLLIN, 0 };
	struct name_found found;

	(void)state;
	assert_int_equal(poll(&fd, 1, 20000), 1);
	names_get(s, 0, &found);
	assert_int_equal(poll(&fd, 1, 0), 1);
	names_heard(s);
	assert_true(names_get(s, 1, &found) || names_get(s, 0, &found));
	/* The other one, unless both came together. */
	while (!names_get(s, 0, &found) || !names_get(s, 1, &found)) {
		assert_int_equal(poll(&fd, 1, 20000), 1);
		names_heard(s);
	}
	assert_string_equal(found.first, "127.0.0.2");
	names_heard(s);
	names_leave(s);
	while (atomic_load(&asleep) > 0)
		nap(5);
}

static void own_names_resolve_by_the_real_resolver(void **state)
{
	struct name_found found;

	(void)state;
	name_resolve("127.0.0.1", &found);
	assert_string_equal(found.first, "127.0.0.1");
	assert_string_equal(found.all, "127.0.0.1");
	name_resolve("::ffff:10.1.2.3", &found);
	assert_string_equal(found.first, "10.1.2.3");
	name_resolve("two words", &found);
	assert_string_equal(found.first, "");
	assert_true(strlen(found.why) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everybody_meets_everybody_both_ways),
		cmocka_unit_test(a_node_alone_meets_itself),
		cmocka_unit_test(who_does_not_answer_or_listen_is_told_as_such),
		cmocka_unit_test(another_node_behind_an_address_is_named),
		cmocka_unit_test(a_name_without_an_address_is_reached_where_hpcbench_saw_it),
		cmocka_unit_test(a_dead_name_server_is_not_waited_for),
		cmocka_unit_test(something_else_behind_the_port_is_told_as_such),
		cmocka_unit_test(strangers_who_connect_do_no_harm),
		cmocka_unit_test(a_name_that_gets_known_is_heard_whatever_is_asked_meanwhile),
		cmocka_unit_test(own_names_resolve_by_the_real_resolver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

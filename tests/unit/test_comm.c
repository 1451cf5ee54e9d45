#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/core/agree.h"
#include "bench/core/clock.h"
#include "bench/core/comm.h"
#include "comm_contract.h"

enum { RANKS_MAX = 5 };

struct rank {
	pthread_t thread;
	struct comm *comm;
	int rank, size, listen_fd, port, rc;
	struct contract contract;
	struct hb_err err;
};

static void join_and_check(struct rank *ranks, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(ranks[i].thread, NULL);
	for (int i = 0; i < n; i++) {
		if (ranks[i].rc < 0)
			print_error("rank %d: %s%s\n", i, ranks[i].contract.text,
			            ranks[i].err.text);
		assert_int_equal(ranks[i].rc, 0);
	}
}

static void *run_contract(void *arg)
{
	struct rank *r = arg;

	r->rc = comm_contract(r->comm, &r->contract);
	r->comm->ops->close(r->comm);
	return NULL;
}

static void threads_keep_the_contract(void **state)
{
	(void)state;
	for (int n = 1; n <= RANKS_MAX; n++) {
		struct rank ranks[RANKS_MAX] = { 0 };
		struct comm *comms[RANKS_MAX];

		comm_threads_open(n, comms);
		for (int i = 0; i < n; i++) {
			ranks[i].comm = comms[i];
			assert_int_equal(
			        pthread_create(&ranks[i].thread, NULL, run_contract, &ranks[i]), 0);
		}
		join_and_check(ranks, n);
	}
}

static void one_alone_keeps_the_contract(void **state)
{
	struct comm *c = comm_solo_open();
	struct contract contract;

	(void)state;
	if (comm_contract(c, &contract) < 0)
		fail_msg("%s", contract.text);
	c->ops->close(c);
}

/* Whatever would need the others is an error at once, by whichever rank it is asked. */
static void one_among_others_reaches_itself_alone(void **state)
{
	struct comm *c = comm_solo_among(2, 4), *sub = NULL;
	struct hb_err err = { HB_OK, "" };
	int self = 2, other = 1, two[] = { 2, 3 }, worst = 7;
	double v = 1, out[2];
	struct buf b = BUF_INIT;

	(void)state;
	assert_int_equal(c->ops->rank(c), 2);
	assert_int_equal(c->ops->size(c), 4);
	assert_true(c->apart);
	for (int root = 0; root < 4; root++) {
		assert_int_equal(c->ops->bcast(c, &v, sizeof(v), root, &err), HB_E_USAGE);
		assert_int_equal(c->ops->gatherv(c, &v, sizeof(v), &b, NULL, root, &err),
		                 HB_E_USAGE);
		assert_int_equal(c->ops->reduce_max(c, &v, out, 1, root, &err), HB_E_USAGE);
		assert_int_equal(c->ops->clock_offset(c, root, &out[0], &out[1], &err), HB_E_USAGE);
	}
	assert_int_equal(c->ops->barrier(c, &err), HB_E_USAGE);
	assert_int_equal(c->ops->agree(c, 0, &worst, &err), HB_E_USAGE);
	assert_int_equal(c->ops->subset(c, &other, 1, 0, &sub, &err), HB_E_USAGE);
	assert_int_equal(c->ops->subset(c, two, 2, 0, &sub, &err), HB_E_USAGE);
	assert_non_null(strstr(err.text, "rank 2 of 4 works by itself"));
	assert_null(sub);
	assert_int_equal(b.len, 0);
	assert_int_equal(c->ops->subset(c, &self, 1, 0, &sub, &err), HB_OK);
	c->ops->close(c);
	assert_int_equal(sub->ops->size(sub), 1);
	assert_int_equal(sub->ops->rank(sub), 0);
	assert_false(sub->apart);
	assert_int_equal(sub->ops->barrier(sub, &err), HB_OK);
	sub->ops->close(sub);
}

static int listen_on_loopback(int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, RANKS_MAX), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	*port = ntohs(at.sin_port);
	return fd;
}

static void *open_and_run(void *arg)
{
	struct rank *r = arg;

	struct comm_tcp_place rank0 = { r->listen_fd, "127.0.0.1", r->port };

	r->rc = comm_tcp_open(r->rank, r->size, &rank0, 20000, &r->comm, &r->err);
	return r->rc < 0 ? NULL : run_contract(r);
}

static void tcp_keeps_the_contract(void **state)
{
	(void)state;
	for (int n = 1; n <= RANKS_MAX; n++) {
		struct rank ranks[RANKS_MAX] = { 0 };
		int port, fd = listen_on_loopback(&port);

		for (int i = 0; i < n; i++) {
			ranks[i].rank = i;
			ranks[i].size = n;
			ranks[i].listen_fd = i == 0 ? fd : -1;
			ranks[i].port = port;
			assert_int_equal(
			        pthread_create(&ranks[i].thread, NULL, open_and_run, &ranks[i]), 0);
		}
		join_and_check(ranks, n);
		close(fd);
	}
}

static void tcp_gives_up_when_rank_0_does_not_listen(void **state)
{
	struct hb_err err = { HB_OK, "" };
	int port, fd = listen_on_loopback(&port);
	struct comm *c = NULL;

	(void)state;
	close(fd); /* the port is nobody's now */
	assert_int_equal(comm_tcp_open(1, 2, &(struct comm_tcp_place){ -1, "127.0.0.1", port }, 200,
	                               &c, &err),
	                 HB_E_TIMEOUT);
	assert_non_null(strstr(err.text, "does not listen"));
	assert_int_equal(comm_tcp_open(1, 2, &(struct comm_tcp_place){ -1, "localhost", port }, 200,
	                               &c, &err),
	                 HB_E_USAGE);
	assert_int_equal(comm_tcp_open(2, 2, &(struct comm_tcp_place){ -1, "127.0.0.1", port }, 200,
	                               &c, &err),
	                 HB_E_USAGE);
	assert_null(c);
}

static void tcp_rank_0_gives_up_when_nobody_comes(void **state)
{
	struct hb_err err = { HB_OK, "" };
	int port, fd = listen_on_loopback(&port);
	struct comm *c = NULL;

	(void)state;
	assert_int_equal(comm_tcp_open(0, 2, &(struct comm_tcp_place){ fd, "127.0.0.1", port }, 100,
	                               &c, &err),
	                 HB_E_TIMEOUT);
	close(fd);
}

static void *send_garbage(void *arg)
{
	const struct rank *r = arg;
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_port = htons((uint16_t)r->port),
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0)
		(void)!write(fd, "GET / HTTP/1.0\r\n\r\n", 18);
	close(fd);
	return NULL;
}

static void tcp_refuses_a_stranger(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct rank stranger = { 0 };
	struct comm *c = NULL;
	int fd = listen_on_loopback(&stranger.port);

	(void)state;
	assert_int_equal(pthread_create(&stranger.thread, NULL, send_garbage, &stranger), 0);
	assert_int_equal(comm_tcp_open(0, 2,
	                               &(struct comm_tcp_place){ fd, "127.0.0.1", stranger.port },
	                               5000, &c, &err),
	                 HB_E_FORMAT);
	pthread_join(stranger.thread, NULL);
	close(fd);
}

static void *fail_on_rank_1(void *arg)
{
	struct rank *r = arg;
	int mine = HB_OK;

	r->comm->deadline_ns = clock_ns() + UINT64_C(20000000000);
	if (r->rank == 1)
		mine = hb_fail(&r->err, HB_E_LIB, "the cable is out");
	r->rc = agree_status(r->comm, mine, &r->err);
	r->comm->ops->close(r->comm);
	return NULL;
}

static void all_ranks_learn_that_one_failed_and_rank_0_why(void **state)
{
	struct rank ranks[3] = { 0 };
	struct comm *comms[3];

	(void)state;
	comm_threads_open(3, comms);
	for (int i = 0; i < 3; i++) {
		ranks[i].comm = comms[i];
		ranks[i].rank = i;
		assert_int_equal(pthread_create(&ranks[i].thread, NULL, fail_on_rank_1, &ranks[i]),
		                 0);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(ranks[i].thread, NULL);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ranks[i].rc, HB_E_LIB);
	assert_string_equal(ranks[0].err.text, "rank 1: the cable is out");
	assert_string_equal(ranks[1].err.text, "the cable is out");
	assert_string_equal(ranks[2].err.text, "another rank failed");
}

static void a_timeout_is_not_waited_for(void **state)
{
	struct hb_err err = { HB_OK, "" };
	struct comm *comms[2];

	(void)state;
	/* No deadline at all: if the other rank were asked this would never end. */
	comm_threads_open(2, comms);
	hb_fail(&err, HB_E_TIMEOUT, "late");
	assert_int_equal(agree_status(comms[0], HB_E_TIMEOUT, &err), HB_E_TIMEOUT);
	assert_true(comms[0]->broken);
	assert_string_equal(err.text, "late");
	assert_int_equal(agree_status(comms[0], HB_OK, &err), HB_E_TIMEOUT);
	for (int i = 0; i < 2; i++)
		comms[i]->ops->close(comms[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_alone_keeps_the_contract),
		cmocka_unit_test(one_among_others_reaches_itself_alone),
		cmocka_unit_test(threads_keep_the_contract),
		cmocka_unit_test(tcp_keeps_the_contract),
		cmocka_unit_test(tcp_gives_up_when_rank_0_does_not_listen),
		cmocka_unit_test(tcp_rank_0_gives_up_when_nobody_comes),
		cmocka_unit_test(tcp_refuses_a_stranger),
		cmocka_unit_test(all_ranks_learn_that_one_failed_and_rank_0_why),
		cmocka_unit_test(a_timeout_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

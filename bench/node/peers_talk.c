#include "bench/node/peers_talk.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/clock.h"

/* Connections of others that are open at once: one each, and some strangers. */
enum { GUESTS_MAX = PEERS_MAX + 16 };

static const char word[] = "hpcbench-peer";

struct guest {
	int fd;
	uint64_t until_ns;
	char line[PEERS_LINE_MAX];
	size_t len;
};

struct talk {
	const struct peers *p;
	struct peer_talk *t;
	size_t n;
	struct names *names;
	struct guest guest[GUESTS_MAX];
	size_t n_guests;
	uint64_t start_ns, names_until_ns, until_ns;
	uint64_t closing_ns; /* all is known; strangers have until then; 0: not yet */
};

static uint64_t after(uint64_t from, double seconds)
{
	return from + (uint64_t)(seconds * 1e9);
}

/* ---- what is said ---- */

static void say(const struct talk *k, int fd)
{
	char line[PEERS_LINE_MAX];
	int n = snprintf(line, sizeof(line), "%s %s %s\n", word, k->p->run, k->p->v[k->p->me].node);

	/* A line fits into the buffer of a new connection; one that does not take it is told by the
	 * silence of the other side. */
	if (n > 0 && (size_t)n < sizeof(line) && send(fd, line, (size_t)n, MSG_NOSIGNAL) < 0)
		shutdown(fd, SHUT_WR);
}

/* The node that a whole line names, in place; NULL: it is not of this run. *ours: it is of
 * hpcbench. */
static const char *node_of(const struct talk *k, char *line, bool *ours)
{
	size_t run = strlen(k->p->run);
	char *at = line + strlen(word);

	*ours = strncmp(line, word, strlen(word)) == 0 && *at == ' ';
	if (!*ours || strncmp(at + 1, k->p->run, run) != 0 || at[1 + run] != ' ')
		return NULL;
	at += 2 + run;
	at[strcspn(at, "\r\n")] = '\0';
	return *at ? at : NULL;
}

/* Takes what has come into line. 1: a whole line; 0: not yet; -1: closed, broken or too long. */
static int take_line(int fd, char *line, size_t *len)
{
	ssize_t n = recv(fd, line + *len, PEERS_LINE_MAX - 1 - *len, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
	*len += (size_t)n;
	line[*len] = '\0';
	if (memchr(line, '\n', *len))
		return 1;
	return n == 0 || *len == PEERS_LINE_MAX - 1 ? -1 : 0;
}

/* ---- connecting ---- */

static void over(struct peer_talk *t, const char *result)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	t->stage = PEER_OVER;
	snprintf(t->result, sizeof(t->result), "%s", result);
}

static const char *refusal(int errnum)
{
	switch (errnum) {
	case ECONNREFUSED: return "refused";
	case EHOSTUNREACH: return "no route to it";
	case ENETUNREACH: return "no network to it";
	case ECONNRESET: return "closed without an answer";
	default: return strerror(errnum);
	}
}

static void expire(const struct talk *k, struct peer_talk *t)
{
	char text[80];

	snprintf(text, sizeof(text), "%sno answer in %g s",
	         t->stage == PEER_ANSWERING ? "connected, but " : "", k->p->connect_s);
	over(t, text);
}

static void connected(const struct talk *k, struct peer_talk *t)
{
	t->connect_s = (double)(clock_ns() - t->since_ns) / 1e9;
	t->stage = PEER_ANSWERING;
	say(k, t->fd);
}

static void untried(struct peer_talk *t, const char *why)
{
	over(t, "");
	snprintf(t->untried, sizeof(t->untried), "%s", why);
}

/* Its name is known by now, or never will be. */
static void begin(const struct talk *k, struct peer_talk *t)
{
	const char *to = t->name.first[0] ? t->name.first : t->seen->address;
	struct inet_address a;

	t->by_name = t->name.first[0] != '\0';
	snprintf(t->to, sizeof(t->to), "%s", to ? to : "");
	if (t->seen->port <= 0) {
		untried(t, "it told no port");
		return;
	}
	if (!to || !address_make(to, t->seen->port, &a)) {
		untried(t, "no address of it is known");
		return;
	}
	t->since_ns = clock_ns();
	t->until_ns = after(t->since_ns, k->p->connect_s);
	t->stage = PEER_CONNECTING;
	t->fd = socket(a.sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->fd < 0)
		untried(t, strerror(errno));
	else if (connect(t->fd, (const struct sockaddr *)&a.sa, a.len) == 0)
		connected(k, t);
	else if (errno != EINPROGRESS && errno != EINTR)
		over(t, refusal(errno));
}

static void judge_answer(const struct talk *k, struct peer_talk *t)
{
	bool ours;
	const char *node = node_of(k, t->line, &ours);
	char text[sizeof(t->result)];

	if (!node) {
		over(t, ours ? "a rank of another run answered"
		             : "something that is not hpcbench answered");
	} else if (strcmp(node, t->seen->node) == 0) {
		over(t, "ok");
	} else {
		snprintf(text, sizeof(text), "%.255s answered", node);
		over(t, text);
	}
}

static void serve_peer(const struct talk *k, struct peer_talk *t, short events)
{
	int code = 0, got;
	socklen_t len = sizeof(code);

	if (t->stage == PEER_CONNECTING && events) {
		if (getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &code, &len) != 0)
			code = errno;
		if (code)
			over(t, refusal(code));
		else
			connected(k, t);
	} else if (t->stage == PEER_ANSWERING && events) {
		got = take_line(t->fd, t->line, &t->len);
		if (got > 0)
			judge_answer(k, t);
		else if (got < 0)
			over(t, "closed without an answer");
	}
	if (t->stage != PEER_UNKNOWN && t->stage != PEER_OVER && clock_ns() >= t->until_ns)
		expire(k, t);
}

/* ---- being connected to ---- */

static void drop_guest(struct talk *k, size_t i)
{
	close(k->guest[i].fd);
	k->guest[i] = k->guest[--k->n_guests];
}

static void let_in(struct talk *k)
{
	int fd;

	while (k->n_guests < GUESTS_MAX &&
	       (fd = accept4(k->p->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
		k->guest[k->n_guests++] =
		        (struct guest){ .fd = fd, .until_ns = after(clock_ns(), k->p->connect_s) };
}

/* True: it has said what it had to, or will not. */
static bool serve_guest(struct talk *k, struct guest *g)
{
	int got = take_line(g->fd, g->line, &g->len);
	const char *node;
	bool ours;

	if (got == 0)
		return clock_ns() >= g->until_ns;
	node = got > 0 ? node_of(k, g->line, &ours) : NULL;
	for (size_t i = 0; node && i < k->n; i++) {
		if (strcmp(k->t[i].seen->node, node) != 0)
			continue;
		if (!k->t[i].from[0])
			address_of_peer(g->fd, k->t[i].from);
		say(k, g->fd);
		return true;
	}
	/* A node that is not of this job has reached the wrong one: it must learn that. */
	if (node)
		say(k, g->fd);
	return true;
}

/* ---- the loop ---- */

static void take_names(struct talk *k)
{
	bool late = clock_ns() >= k->names_until_ns;

	for (size_t i = 0; i < k->n; i++) {
		struct peer_talk *t = &k->t[i];

		if (t->stage != PEER_UNKNOWN)
			continue;
		t->named = names_get(k->names, i, &t->name);
		if (t->named || late)
			begin(k, t);
	}
}

static bool all_known(struct talk *k)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->t[i].stage != PEER_OVER || (k->p->listener >= 0 && !k->t[i].from[0]))
			return false;
	/* Who comes now was given our address in place of another's: it learns that, if it is
	 * quick. */
	if (!k->closing_ns) {
		uint64_t soon = after(clock_ns(), k->p->late_s);

		k->closing_ns = after(clock_ns(), k->p->n > 1 ? k->p->linger_s : 0);
		k->until_ns = soon < k->until_ns ? soon : k->until_ns;
	}
	return k->n_guests == 0 && clock_ns() >= k->closing_ns;
}

/* Until when nothing needs to be done unless something happens. */
static int nap_ms(const struct talk *k)
{
	uint64_t now = clock_ns(), next = k->until_ns;

	if (k->closing_ns && k->closing_ns > now && k->closing_ns < next)
		next = k->closing_ns;
	for (size_t i = 0; i < k->n; i++) {
		const struct peer_talk *t = &k->t[i];
		uint64_t due = t->stage == PEER_UNKNOWN ? k->names_until_ns : t->until_ns;

		if (t->stage != PEER_OVER && due < next)
			next = due;
	}
	for (size_t i = 0; i < k->n_guests; i++)
		if (k->guest[i].until_ns < next)
			next = k->guest[i].until_ns;
	return next <= now ? 0 : (int)((next - now) / 1000000) + 1;
}

static void turn(struct talk *k)
{
	struct pollfd fds[2 + PEERS_MAX + GUESTS_MAX];
	size_t guests = k->n_guests, at = 2;

	fds[0] = (struct pollfd){ k->n_guests < GUESTS_MAX ? k->p->listener : -1, POLLIN, 0 };
	fds[1] = (struct pollfd){ names_fd(k->names), POLLIN, 0 };
	for (size_t i = 0; i < k->n; i++)
		fds[at++] = (struct pollfd){ k->t[i].fd,
			                     k->t[i].stage == PEER_CONNECTING ? POLLOUT : POLLIN,
			                     0 };
	for (size_t i = 0; i < guests; i++)
		fds[at++] = (struct pollfd){ k->guest[i].fd, POLLIN, 0 };
	if (poll(fds, (nfds_t)at, nap_ms(k)) < 0)
		return;
	for (size_t i = 0; i < k->n; i++)
		serve_peer(k, &k->t[i], fds[2 + i].revents);
	/* From the last on: who leaves is replaced by one that was looked at. */
	for (size_t i = guests; i-- > 0;)
		if (serve_guest(k, &k->guest[i]))
			drop_guest(k, i);
	if (k->p->listener >= 0)
		let_in(k);
	if (fds[1].revents)
		names_heard(k->names);
	take_names(k);
}

int peers_talk(const struct peers *p, struct peer_talk *t, size_t n, struct hb_err *err)
{
	struct talk *k = hb_alloc(sizeof(*k));
	const char **names = hb_alloc(n * sizeof(*names));

	*k = (struct talk){ .p = p, .t = t, .n = n, .start_ns = clock_ns() };
	k->names_until_ns = after(k->start_ns, p->resolve_s);
	k->until_ns = after(k->names_until_ns, p->connect_s + p->late_s);
	if (p->deadline_ns > 0 && p->deadline_ns < k->until_ns)
		k->until_ns = p->deadline_ns;
	for (size_t i = 0; i < n; i++)
		names[i] = t[i].seen->node;
	k->names = names_start(names, n, p->resolve);
	free(names);
	if (names_fd(k->names) < 0) {
		names_leave(k->names);
		free(k);
		return hb_fail(err, HB_E_IO, "eventfd: %s", strerror(errno));
	}
	take_names(k);
	while (!all_known(k) && clock_ns() < k->until_ns)
		turn(k);
	for (size_t i = 0; i < n; i++) {
		if (t[i].stage == PEER_UNKNOWN)
			untried(&t[i], "no time was left for it");
		else if (t[i].stage != PEER_OVER)
			expire(k, &t[i]);
	}
	while (k->n_guests > 0)
		drop_guest(k, 0);
	names_leave(k->names);
	free(k);
	return HB_OK;
}

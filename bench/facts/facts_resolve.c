/* What name services answer: the own host's addresses, the own user's name. They may hang. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/facts/facts_parts.h"

enum { PASSWD_TEXT = 16 * 1024 };

/* The question and, once it is done, the answer. */
struct own_name {
	char host[FACTS_LINE];
	struct addrinfo *found;
	int failed, errnum; /* of getaddrinfo */
};

struct own_user {
	uid_t uid;
	char *text; /* PASSWD_TEXT bytes */
	struct passwd entry;
	const char *name; /* NULL: none is known */
	int failed;
};

struct facts_resolving {
	struct timespec deadline;
	struct facts_task *name, *user;
};

static void ask_name(void *data)
{
	struct own_name *q = data;
	const struct addrinfo hints = { .ai_flags = AI_CANONNAME, .ai_socktype = SOCK_STREAM };

	q->failed = getaddrinfo(q->host, NULL, &hints, &q->found);
	q->errnum = errno;
}

static void free_name(void *data)
{
	struct own_name *q = data;

	if (q->found)
		freeaddrinfo(q->found);
	free(q);
}

static void ask_user(void *data)
{
	struct own_user *q = data;
	struct passwd *found = NULL;

	q->failed = getpwuid_r(q->uid, &q->entry, q->text, PASSWD_TEXT, &found);
	q->name = found ? found->pw_name : NULL;
}

static void free_user(void *data)
{
	struct own_user *q = data;

	free(q->text);
	free(q);
}

struct facts_resolving *facts_resolve_begin(void)
{
	struct facts_resolving *w = hb_alloc(sizeof(*w));
	struct own_name *name = hb_alloc(sizeof(*name));
	struct own_user *user = hb_alloc(sizeof(*user));

	w->deadline = facts_deadline(FACTS_PATIENCE_MS);
	if (gethostname(name->host, sizeof(name->host) - 1) != 0)
		name->host[0] = '\0';
	user->uid = geteuid();
	user->text = hb_alloc(PASSWD_TEXT);
	w->name = facts_task_start(ask_name, free_name, name);
	w->user = facts_task_start(ask_user, free_user, user);
	return w;
}

static bool is_loopback(const struct sockaddr *a)
{
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;

	if (a->sa_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return a->sa_family == AF_INET6 && (IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) ||
	                                    (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) &&
	                                     v6->sin6_addr.s6_addr[12] == IN_LOOPBACKNET));
}

static void tell_addresses(const struct fact_sink *s, const struct own_name *q)
{
	struct facts_set addresses = { NULL, 0, 0 };
	struct buf text = BUF_INIT;
	bool loopback = false;
	char address[NI_MAXHOST], source[FACTS_LINE + 32];

	for (const struct addrinfo *a = q->found; a; a = a->ai_next) {
		if (getnameinfo(a->ai_addr, a->ai_addrlen, address, sizeof(address), NULL, 0,
		                NI_NUMERICHOST) != 0)
			continue;
		facts_set_add(&addresses, address);
		loopback = loopback || is_loopback(a->ai_addr);
	}
	facts_set_put(&addresses, &text);
	snprintf(source, sizeof(source), "getaddrinfo %s", q->host);
	fact_tell(s, "", "name.own", buf_text(&text), source);
	facts_yesno(s, "", "name.own_loopback", loopback, source);
	if (q->found && q->found->ai_canonname)
		fact_tell(s, "", "name.canonical", q->found->ai_canonname, source);
	buf_free(&text);
}

static void tell_name(const struct fact_sink *s, const struct own_name *q)
{
	char source[2 * FACTS_LINE];

	if (!q) {
		snprintf(source, sizeof(source), "getaddrinfo: no answer within %d s",
		         FACTS_PATIENCE_MS / 1000);
		fact_tell(s, "", "name.own", NULL, source);
	} else if (q->failed) {
		snprintf(source, sizeof(source), "getaddrinfo %s: %s", q->host,
		         q->failed == EAI_SYSTEM ? strerror(q->errnum) : gai_strerror(q->failed));
		fact_tell(s, "", "name.own", NULL, source);
	} else {
		tell_addresses(s, q);
	}
}

void facts_resolve_end(const struct fact_sink *s, struct facts_resolving *w)
{
	const struct own_user *user;
	char source[FACTS_NAME];

	tell_name(s, facts_task_wait(w->name, &w->deadline));
	user = facts_task_wait(w->user, &w->deadline);
	snprintf(source, sizeof(source), "getpwuid: no answer within %d s",
	         FACTS_PATIENCE_MS / 1000);
	if (!user)
		fact_tell(s, "", "user.name", NULL, source);
	else if (user->name)
		fact_tell(s, "", "user.name", user->name, "getpwuid");
	else if (user->failed)
		fact_tell_errno(s, "", "user.name", "getpwuid", user->failed);
	else
		fact_tell(s, "", "user.name", NULL, "getpwuid: this node knows no such user");
	facts_task_drop(w->name);
	facts_task_drop(w->user);
	free(w);
}

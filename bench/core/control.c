#include "bench/core/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/base/frame.h"
#include "bench/base/mem.h"
#include "bench/core/control_dial.h"
#include "bench/core/env.h"

enum { SEND_MS = 30000, ADDRESSES_MAX = 64 };

/* What the environment says, all of it owned. */
struct settings {
	char *addresses, *token;
	struct control_part part;
};

struct control {
	int fd;
	struct frame_reader in;
	struct settings set; /* until the hello was said */
	struct control_answer answer;
	int send_ms;
};

static int is_set(const char *name)
{
	const char *v = getenv(name);

	return v && *v;
}

int control_wanted(void)
{
	return is_set(CONTROL_ENV_ADDRESS);
}

enum control_way control_asked(void)
{
	if (control_wanted())
		return CONTROL_BY_CHANNEL;
	return is_set(CONTROL_ENV_FILES) ? CONTROL_BY_FILES : CONTROL_BY_HAND;
}

static int env_u64(const char *name, uint64_t dflt, uint64_t *out, struct hb_err *err)
{
	const char *text = getenv(name);
	char *end;

	*out = dflt;
	if (!text)
		return HB_OK;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return hb_fail(err, HB_E_USAGE, "%s='%.40s' is not a whole number", name, text);
	return HB_OK;
}

int control_part_read(struct control_part *out, struct hb_err *err)
{
	*out = (struct control_part){ .run = hb_strdup(getenv(CONTROL_ENV_RUN)) };
	if (env_u64(CONTROL_ENV_STEP, 0, &out->step, err) < 0)
		return HB_E_USAGE;
	return env_u64(CONTROL_ENV_ATTEMPT, 1, &out->attempt, err);
}

void control_part_free(struct control_part *p)
{
	free(p->run);
	*p = (struct control_part){ 0 };
}

static void settings_free(struct settings *s)
{
	free(s->addresses);
	if (s->token)
		explicit_bzero(s->token, strlen(s->token));
	free(s->token);
	control_part_free(&s->part);
}

/* The token leaves the environment whatever happens after. */
static int settings_read(struct settings *s, struct hb_err *err)
{
	*s = (struct settings){ 0 };
	s->addresses = hb_strdup(getenv(CONTROL_ENV_ADDRESS));
	s->token = hb_strdup(getenv(CONTROL_ENV_TOKEN));
	unsetenv(CONTROL_ENV_TOKEN);
	if (control_part_read(&s->part, err) < 0)
		return HB_E_USAGE;
	if (!s->addresses || !s->token || !s->part.run)
		return hb_fail(err, HB_E_USAGE, "%s needs %s and %s beside it", CONTROL_ENV_ADDRESS,
		               CONTROL_ENV_TOKEN, CONTROL_ENV_RUN);
	return HB_OK;
}

/* The other side must say what run it serves before it hears the token. */
static int check_greeting(struct control *c, const char *run, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("greeting");
	const char *msg = "", *their_run = "";
	json_object *o = NULL;
	uint64_t proto = 0;
	int rc = frame_recv(c->fd, &c->in, CONTROL_HANDSHAKE_MS, &o, err);

	if (rc < 0)
		return rc;
	if (js_get_str(o, &at, "msg", JS_REQUIRED, &msg, err) < 0 ||
	    js_get_u64(o, &at, "proto", JS_REQUIRED, &proto, err) < 0 ||
	    js_get_str(o, &at, "run", JS_REQUIRED, &their_run, err) < 0)
		rc = HB_E_FORMAT;
	else if (strcmp(msg, "greeting") != 0)
		rc = hb_fail(err, HB_E_FORMAT, "the other side does not greet");
	else if (proto != FRAME_PROTO)
		rc = hb_fail(err, HB_E_FORMAT,
		             "the other side speaks protocol %llu, this helper %d: install "
		             "hpcbench and its helpers in one version",
		             (unsigned long long)proto, FRAME_PROTO);
	else if (strcmp(their_run, run) != 0)
		rc = hb_fail(err, HB_E_FORMAT, "the other side serves run '%.80s', not '%.80s'",
		             their_run, run);
	js_put(o);
	return rc;
}

/* The wall clock: the harness compares it with its own. */
static void set_time(json_object *o)
{
	struct timespec t;

	if (clock_gettime(CLOCK_REALTIME, &t) == 0 && t.tv_sec >= 0)
		js_set_u64(o, "time_ns", (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

json_object *control_hello_json(const struct control_hello *h, const struct control_part *part)
{
	json_object *o = json_object_new_object();
	int local = env_launch_local();

	js_set_str(o, "msg", "hello");
	js_set_u64(o, "proto", FRAME_PROTO);
	js_set_u64(o, "step", part->step);
	js_set_u64(o, "attempt", part->attempt);
	js_set_str(o, "host", h->host);
	js_set_i64(o, "rank", h->rank);
	js_set_i64(o, "size", h->size);
	if (local >= 0)
		js_set_i64(o, "local", local);
	if (h->port > 0)
		js_set_i64(o, "port", h->port);
	js_set_str(o, "hw", h->hw);
	js_set_str(o, "helper", h->helper);
	js_set_str(o, "version", h->version);
	js_set_i64(o, "pid", getpid());
	set_time(o);
	return o;
}

/* "I run": of a process that does not know yet who it is. */
static json_object *starting_json(const char *host, const struct control_part *part)
{
	json_object *o = json_object_new_object();
	int rank = env_launch_rank(), local = env_launch_local();

	js_set_str(o, "msg", "starting");
	js_set_u64(o, "proto", FRAME_PROTO);
	js_set_u64(o, "step", part->step);
	js_set_u64(o, "attempt", part->attempt);
	js_set_str(o, "host", host);
	if (rank >= 0)
		js_set_i64(o, "rank", rank);
	if (local >= 0)
		js_set_i64(o, "local", local);
	js_set_i64(o, "pid", getpid());
	set_time(o);
	return o;
}

/* What is said first: a hello, or without one that this process runs. */
struct first_words {
	const struct control_hello *hello; /* NULL: not known yet */
	const char *host;                  /* where it is not */
};

static int say_first(struct control *c, const struct first_words *w, struct hb_err *err)
{
	const struct settings *s = &c->set;
	json_object *o = w->hello ? control_hello_json(w->hello, &s->part)
	                          : starting_json(w->host, &s->part);
	int rc;

	js_set_str(o, "token", s->token);
	rc = frame_send(c->fd, o, CONTROL_HANDSHAKE_MS, err);
	js_put(o);
	return rc;
}

static int read_answer(struct control *c, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("answer");
	const char *msg = "", *text = "no reason given";
	json_object *o = NULL;
	bool first = false;
	int rc = frame_recv(c->fd, &c->in, CONTROL_HANDSHAKE_MS, &o, err);

	c->answer = (struct control_answer){ false, -1 };
	if (rc < 0)
		return rc;
	if (js_get_str(o, &at, "msg", JS_REQUIRED, &msg, err) < 0 ||
	    js_get_str(o, &at, "text", JS_OPTIONAL, &text, err) < 0 ||
	    js_get_bool(o, &at, "facts", JS_OPTIONAL, &c->answer.facts, err) < 0 ||
	    js_get_bool(o, &at, "first", JS_OPTIONAL, &first, err) < 0)
		rc = HB_E_FORMAT;
	else if (strcmp(msg, "ok") != 0)
		rc = hb_fail(err, HB_E_CANCELLED, "refused: %.300s", text);
	if (rc == HB_OK && json_object_object_get_ex(o, "first", NULL))
		c->answer.first = first;
	js_put(o);
	return rc;
}

static void hang_up(struct control *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	frame_reader_free(&c->in);
	c->in = (struct frame_reader)FRAME_READER_INIT;
}

static int try_address(const char *text, struct control *c, const struct first_words *w,
                       struct hb_err *err)
{
	int rc = control_dial(text, &c->fd, err);

	if (rc < 0)
		return hb_fail_in(err, "%s", text);
	rc = check_greeting(c, c->set.part.run, err);
	if (!rc)
		rc = say_first(c, w, err);
	if (!rc)
		rc = read_answer(c, err);
	if (!rc)
		return HB_OK;
	hang_up(c);
	return hb_fail_in(err, "%s", text);
}

static int try_all(struct control *c, const struct first_words *w, struct hb_err *err)
{
	struct buf tried = BUF_INIT;
	char *save = NULL, *all = hb_strdup(c->set.addresses);
	int rc = HB_E_USAGE, n = 0;

	for (char *a = strtok_r(all, ",", &save); a && rc < 0 && n < ADDRESSES_MAX;
	     a = strtok_r(NULL, ",", &save), n++) {
		struct hb_err why = { HB_OK, "" };

		rc = try_address(a, c, w, &why);
		if (rc < 0)
			buf_printf(&tried, "%s%s", tried.len ? "; " : "", why.text);
		/* Our own harness said no: others would be strangers. */
		if (rc == HB_E_CANCELLED)
			break;
	}
	if (rc < 0)
		hb_fail(err, (enum hb_status)rc, "cannot reach hpcbench: %s",
		        tried.len ? buf_text(&tried) : CONTROL_ENV_ADDRESS " names no address");
	buf_free(&tried);
	free(all);
	return rc;
}

static struct control *new_control(void)
{
	struct control *c = hb_alloc(sizeof(*c));

	c->fd = -1;
	c->in = (struct frame_reader)FRAME_READER_INIT;
	c->send_ms = SEND_MS;
	c->answer.first = -1;
	return c;
}

int control_start(const char *host, struct control **out, struct hb_err *err)
{
	const struct first_words words = { NULL, host };
	struct control *c = new_control();
	struct hb_err why;
	int rc;

	rc = settings_read(&c->set, err);
	/* Refused, by a harness that does not know these words yet: the hello will tell. */
	if (!rc && (rc = try_all(c, &words, &why)) == HB_E_CANCELLED)
		rc = HB_OK;
	else if (rc < 0 && err)
		*err = why;
	if (rc < 0)
		control_close(c);
	else
		*out = c;
	return rc;
}

int control_join(struct control *c, const struct control_hello *hello, struct hb_err *err)
{
	const struct first_words words = { hello, NULL };
	int rc;

	if (c->fd < 0) {
		rc = try_all(c, &words, err);
	} else {
		rc = say_first(c, &words, err);
		if (!rc)
			rc = read_answer(c, err);
		if (rc < 0)
			hang_up(c);
		if (rc < 0)
			hb_fail_in(err, "the connection to hpcbench");
	}
	settings_free(&c->set);
	c->set = (struct settings){ 0 };
	return rc;
}

int control_open(const struct control_hello *hello, struct control **out, struct hb_err *err)
{
	struct control *c = new_control();
	int rc = settings_read(&c->set, err);

	if (!rc)
		rc = control_join(c, hello, err);
	if (rc < 0)
		control_close(c);
	else
		*out = c;
	return rc;
}

static int send_heartbeat(struct control *c, struct hb_err *err)
{
	json_object *o = json_object_new_object();
	int rc;

	js_set_str(o, "msg", "heartbeat");
	rc = control_send(c, o, err);
	js_put(o);
	return rc;
}

int control_next(struct control *c, json_object **out, struct hb_err *err)
{
	struct js_at at = JS_AT_TOP("command");
	const char *msg = "";
	int rc;

	while ((rc = frame_recv(c->fd, &c->in, CONTROL_HEARTBEAT_MS, out, err)) == HB_E_TIMEOUT) {
		rc = send_heartbeat(c, err);
		if (rc < 0)
			return rc;
	}
	if (rc < 0)
		return rc;
	rc = js_get_str(*out, &at, "msg", JS_REQUIRED, &msg, err);
	if (!rc && strcmp(msg, "quit") == 0)
		rc = hb_fail(err, HB_E_CANCELLED, "told to quit");
	if (rc < 0) {
		js_put(*out);
		*out = NULL;
	}
	return rc;
}

int control_send(struct control *c, json_object *o, struct hb_err *err)
{
	return frame_send(c->fd, o, c->send_ms, err);
}

void control_hurry(struct control *c, int ms)
{
	c->send_ms = ms;
}

struct control_answer control_answer(const struct control *c)
{
	return c->answer;
}

void control_close(struct control *c)
{
	if (!c)
		return;
	hang_up(c);
	settings_free(&c->set);
	free(c);
}

#include "bench/node/peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/core/control.h"
#include "bench/node/node.h"
#include "bench/node/peers_talk.h"

enum { NODE_NAME_MAX = 255 };

/* ---- what is told ---- */

static void tell_address(const struct peers *p, const struct peer_talk *t, const char *device)
{
	char source[240];

	if (t->name.first[0]) {
		fact_tell(p->sink, device, "peer.address", t->name.all, "getaddrinfo");
		return;
	}
	if (t->named)
		snprintf(source, sizeof(source), "getaddrinfo: %s", t->name.why);
	else
		snprintf(source, sizeof(source), "getaddrinfo: no answer in %g s", p->resolve_s);
	fact_tell(p->sink, device, "peer.address", NULL, source);
}

/* To one digit: how much it is matters, and that nodes tell the same where it is the same. */
static double coarse(double v)
{
	double unit = v > 0 ? pow(10, floor(log10(v))) : 1;

	return round(v / unit) * unit;
}

static void tell_connect(const struct peers *p, const struct peer_talk *t, const char *device)
{
	char source[160];

	if (!t->result[0]) {
		fact_tell(p->sink, device, "peer.connect", NULL, t->untried);
		return;
	}
	snprintf(source, sizeof(source), "TCP to %s%s", t->to,
	         t->by_name ? "" : ", where hpcbench saw it");
	fact_tell(p->sink, device, "peer.connect", t->result, source);
	if (t->connect_s >= 0)
		fact_tell_f64(p->sink, device, "peer.connect_s", coarse(t->connect_s), source);
}

static void tell_one(const struct peers *p, const struct peer_talk *t)
{
	char device[NODE_NAME_MAX + 16];

	snprintf(device, sizeof(device), "peer:%s", t->seen->node);
	tell_address(p, t, device);
	tell_connect(p, t, device);
	if (p->listener >= 0)
		fact_tell(p->sink, device, "peer.heard_from", t->from[0] ? t->from : NULL,
		          t->from[0] ? "TCP" : "no connection of it came");
}

int peers_tell(const struct peers *p, struct hb_err *err)
{
	struct peer_talk *t = hb_alloc((p->n + 1) * sizeof(*t));
	const char *own = p->v[p->me].node;
	size_t n = 0;
	int rc = own ? HB_OK : hb_fail(err, HB_E_USAGE, "this rank has no name among its peers");

	for (size_t i = 0; own && i < p->n; i++)
		if (p->v[i].node && strcmp(p->v[i].node, own) != 0)
			t[n++].seen = &p->v[i];
	if (own && n == 0)
		t[n++].seen = &p->v[p->me];
	for (size_t i = 0; i < n; i++) {
		t[i].fd = -1;
		t[i].connect_s = -1;
	}
	if (rc == HB_OK)
		rc = peers_talk(p, t, n, err);
	for (size_t i = 0; rc == HB_OK && i < n; i++)
		tell_one(p, &t[i]);
	free(t);
	return rc;
}

/* ---- the job's message ---- */

static bool plain_name(const char *s)
{
	size_t n = strlen(s);

	return n > 0 && n <= NODE_NAME_MAX &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") == n;
}

/* [node, address or null, port]; strings are borrowed. */
static int take_peer(json_object *o, const struct js_at *at, struct peer_seen *out,
                     struct hb_err *err)
{
	json_object *node, *address, *port;

	if (!json_object_is_type(o, json_type_array) || json_object_array_length(o) != 3)
		return js_fail(at, err, "is not [node, address, port]");
	node = json_object_array_get_idx(o, 0);
	address = json_object_array_get_idx(o, 1);
	port = json_object_array_get_idx(o, 2);
	if (!json_object_is_type(node, json_type_string) ||
	    !plain_name(json_object_get_string(node)))
		return js_fail(at, err, "has no name of a node");
	if (address && (!json_object_is_type(address, json_type_string) ||
	                json_object_get_string_len(address) >= ADDRESS_TEXT))
		return js_fail(at, err, "has no address");
	if (!json_object_is_type(port, json_type_int) || json_object_get_int64(port) < 0 ||
	    json_object_get_int64(port) > 65535)
		return js_fail(at, err, "has no port");
	out->node = json_object_get_string(node);
	out->address = address ? json_object_get_string(address) : NULL;
	out->port = json_object_get_int(port);
	return HB_OK;
}

static int take_peers(const struct tell *t, struct peer_seen *v, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP("job"), at = js_at_key(&top, "peers");
	json_object *arr = NULL;
	int rc = js_get_arr(t->msg, &top, "peers", JS_REQUIRED, &arr, err);

	if (rc < 0)
		return rc;
	if (json_object_array_length(arr) != (size_t)t->n_ranks || t->n_ranks > PEERS_MAX)
		return js_fail(&at, err, "%zu peers of %d ranks", json_object_array_length(arr),
		               t->n_ranks);
	for (int i = 0; rc == HB_OK && i < t->n_ranks; i++) {
		struct js_at item = js_at_index(&at, (size_t)i);

		rc = take_peer(json_object_array_get_idx(arr, (size_t)i), &item, &v[i], err);
	}
	return rc;
}

static int tell(const struct tell *t, struct hb_err *err)
{
	struct peer_seen v[PEERS_MAX] = { { NULL, NULL, 0 } };
	const char *run = getenv(CONTROL_ENV_RUN);
	struct peers p = { .run = run ? run : "",
		           .v = v,
		           .n = (size_t)t->n_ranks,
		           .me = (size_t)t->me,
		           .listener = t->listener,
		           .resolve_s = PEERS_RESOLVE_S,
		           .connect_s = PEERS_CONNECT_S,
		           .late_s = PEERS_LATE_S,
		           .linger_s = PEERS_LINGER_S,
		           .deadline_ns = t->deadline_ns,
		           .resolve = name_resolve,
		           .sink = t->sink };
	int rc;

	if (!t->msg)
		return hb_fail(err, HB_E_UNSUPPORTED,
		               "node.peers is commanded by hpcbench, which knows the others");
	rc = take_peers(t, v, err);
	return rc < 0 ? rc : peers_tell(&p, err);
}

const struct bench_ops node_peers = { .info = &info_node_peers, .tell = tell };

#include "bench/base/frame.h"
#include "bench/base/token.h"
#include "harness/control/control.h"
#include "harness/plan/nodeset.h"

enum { HW_MAX = 512, WORD_MAX = 64 };

struct ctl_clock ctl_clock_of(json_object *o, int64_t before_ns, int64_t after_ns)
{
	const struct js_at at = JS_AT_TOP("message");
	int64_t theirs = -1, mine = before_ns / 2 + after_ns / 2;

	/* Our own clock may have been set meanwhile. */
	if (js_get_i64(o, &at, "time_ns", JS_OPTIONAL, &theirs, NULL) != HB_OK || theirs < 0 ||
	    before_ns < 0 || after_ns < before_ns)
		return (struct ctl_clock){ 0, -1 };
	return (struct ctl_clock){ (double)(theirs - mine) / 1e9,
		                   (double)(after_ns - before_ns) / 2e9 };
}

/* A name as nodes have them: it goes into records, reports and file names. */
static bool plain_name(const char *s, size_t max)
{
	size_t n = strlen(s);

	return n > 0 && n <= max &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") == n;
}

static int check_world(const struct ctl_hello *h, const struct ctl_world *w, bool *wrong_world,
                       struct hb_err *err)
{
	if (h->size == w->n_ranks)
		return HB_OK;
	*wrong_world = true;
	if (h->size == 1)
		return hb_fail(
		        err, HB_E_LIB,
		        "a world of size 1 where %d ranks were started (on %s): launcher and "
		        "MPI library do not understand each other's PMIx or PMI; use the "
		        "mpirun that belongs to the library hpcbench-%s was built with",
		        w->n_ranks, h->host, h->helper);
	return hb_fail(err, HB_E_LIB, "a world of size %d where %d ranks were started (on %s)",
	               h->size, w->n_ranks, h->host);
}

int ctl_check_hello(json_object *o, const struct ctl_world *w, struct ctl_hello *out,
                    bool *wrong_world, struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("hello");
	const char *msg = NULL, *token = NULL;
	uint64_t step = 0, attempt = 0;
	int proto = 0;

	*wrong_world = false;
	*out = (struct ctl_hello){ .local = -1, .bound_s = -1, .address = "" };
	if (js_get_str(o, &at, "msg", JS_REQUIRED, &msg, err) != HB_OK ||
	    js_get_int(o, &at, "proto", JS_REQUIRED, 0, 1000, &proto, err) != HB_OK ||
	    js_get_str(o, &at, "token", JS_REQUIRED, &token, err) != HB_OK)
		return HB_E_FORMAT;
	if (strcmp(msg, "hello") != 0 || proto != FRAME_PROTO)
		return hb_fail(err, HB_E_FORMAT, "not a hello of protocol %d", FRAME_PROTO);
	if (!token_equal(w->token, token))
		return hb_fail(err, HB_E_USAGE, "wrong token");
	if (js_get_u64(o, &at, "step", JS_REQUIRED, &step, err) != HB_OK ||
	    js_get_u64(o, &at, "attempt", JS_REQUIRED, &attempt, err) != HB_OK ||
	    js_get_int(o, &at, "rank", JS_REQUIRED, 0, CTL_RANKS_MAX - 1, &out->rank, err) !=
	            HB_OK ||
	    js_get_int(o, &at, "size", JS_REQUIRED, 1, CTL_RANKS_MAX, &out->size, err) != HB_OK ||
	    js_get_str(o, &at, "host", JS_REQUIRED, &out->host, err) != HB_OK ||
	    js_get_str(o, &at, "hw", JS_OPTIONAL, &out->hw, err) != HB_OK ||
	    js_get_str(o, &at, "helper", JS_REQUIRED, &out->helper, err) != HB_OK ||
	    js_get_str(o, &at, "version", JS_OPTIONAL, &out->version, err) != HB_OK ||
	    js_get_i64(o, &at, "pid", JS_OPTIONAL, &out->pid, err) != HB_OK ||
	    js_get_int(o, &at, "local", JS_OPTIONAL, -1, CTL_RANKS_MAX, &out->local, err) !=
	            HB_OK ||
	    js_get_int(o, &at, "port", JS_OPTIONAL, 0, 65535, &out->port, err) != HB_OK)
		return HB_E_FORMAT;
	if (!plain_name(out->host, NODESET_NAME_MAX) || !plain_name(out->helper, WORD_MAX) ||
	    (out->hw && strlen(out->hw) > HW_MAX) ||
	    (out->version && strlen(out->version) > WORD_MAX))
		return hb_fail(err, HB_E_FORMAT, "host, helper, hw or version is not a name");
	if (w->n_ranks == 0 || step != w->step || attempt != w->attempt)
		return hb_fail(err, HB_E_USAGE,
		               "step %llu attempt %llu is not running (rank %d on %s is late)",
		               (unsigned long long)step, (unsigned long long)attempt, out->rank,
		               out->host);
	int rc = check_world(out, w, wrong_world, err);
	if (rc == HB_OK && out->rank >= w->n_ranks)
		rc = hb_fail(err, HB_E_USAGE, "rank %d of %d ranks", out->rank, w->n_ranks);
	return rc;
}

int ctl_check_start(json_object *o, const struct ctl_world *w, struct ctl_start *out,
                    struct hb_err *err)
{
	const struct js_at at = JS_AT_TOP("starting");
	const char *token = NULL;
	uint64_t step = 0, attempt = 0;
	int proto = 0;

	*out = (struct ctl_start){ NULL, 0, -1, -1 };
	if (js_get_int(o, &at, "proto", JS_REQUIRED, 0, 1000, &proto, err) != HB_OK ||
	    js_get_str(o, &at, "token", JS_REQUIRED, &token, err) != HB_OK)
		return HB_E_FORMAT;
	if (proto != FRAME_PROTO)
		return hb_fail(err, HB_E_FORMAT, "not of protocol %d", FRAME_PROTO);
	if (!token_equal(w->token, token))
		return hb_fail(err, HB_E_USAGE, "wrong token");
	if (js_get_u64(o, &at, "step", JS_REQUIRED, &step, err) != HB_OK ||
	    js_get_u64(o, &at, "attempt", JS_REQUIRED, &attempt, err) != HB_OK ||
	    js_get_str(o, &at, "host", JS_REQUIRED, &out->host, err) != HB_OK ||
	    js_get_i64(o, &at, "pid", JS_OPTIONAL, &out->pid, err) != HB_OK ||
	    js_get_int(o, &at, "rank", JS_OPTIONAL, -1, CTL_RANKS_MAX, &out->rank, err) != HB_OK ||
	    js_get_int(o, &at, "local", JS_OPTIONAL, -1, CTL_RANKS_MAX, &out->local, err) != HB_OK)
		return HB_E_FORMAT;
	if (!plain_name(out->host, NODESET_NAME_MAX))
		return hb_fail(err, HB_E_FORMAT, "host is not a name");
	if (w->n_ranks == 0 || step != w->step || attempt != w->attempt)
		return hb_fail(err, HB_E_USAGE,
		               "step %llu attempt %llu is not running (a process on %s is late)",
		               (unsigned long long)step, (unsigned long long)attempt, out->host);
	return HB_OK;
}

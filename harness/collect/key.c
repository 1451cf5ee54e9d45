#include <stdlib.h>
#include <string.h>

#include "bench/base/buf.h"
#include "bench/base/mem.h"
#include "harness/collect/summary.h"

enum { KEY_TEXT_MAX = 2048, KEY_COUNT_MAX = 1 << 24 };

/* Members in sorted order; opts is canonical already. */
static char *key_write(const struct key *k, bool with_bytes)
{
	struct buf b = BUF_INIT;

	buf_puts(&b, "{\"bench\":");
	js_quote(&b, k->bench ? k->bench : "");
	if (with_bytes)
		buf_printf(&b, ",\"bytes\":%llu", (unsigned long long)k->bytes);
	buf_puts(&b, ",\"class\":");
	js_quote(&b, k->class_ ? k->class_ : "");
	buf_puts(&b, ",\"hw\":");
	js_quote(&b, k->hw ? k->hw : "");
	buf_puts(&b, ",\"metric\":");
	js_quote(&b, k->metric ? k->metric : "");
	buf_printf(&b, ",\"nodes\":%d,\"opts\":%s,\"rpn\":%d}", k->nodes, k->opts ? k->opts : "{}",
	           k->rpn);
	return buf_detach(&b);
}

const char key_same_leaf[] = "same-leaf", key_cross_leaf[] = "cross-leaf";

bool key_of_leaf(const struct key *k)
{
	return strcmp(k->class_, key_same_leaf) == 0 || strcmp(k->class_, key_cross_leaf) == 0;
}

void key_make(struct key *k)
{
	free(k->text);
	k->text = key_write(k, true);
}

char *key_curve(const struct key *k)
{
	return key_write(k, false);
}

static int key_str(json_object *o, const struct js_at *at, const char *name, char **out,
                   struct hb_err *err)
{
	const char *s = NULL;
	int rc = js_get_str(o, at, name, JS_REQUIRED, &s, err);

	if (rc < 0)
		return rc;
	if (strlen(s) > KEY_TEXT_MAX) {
		struct js_at here = js_at_key(at, name);

		return js_fail(&here, err, "longer than %d bytes", KEY_TEXT_MAX);
	}
	*out = hb_strdup(s);
	return HB_OK;
}

static int key_opts(json_object *o, const struct js_at *at, char **out, struct hb_err *err)
{
	json_object *opts = NULL;
	struct buf b = BUF_INIT;
	int rc = js_get_obj(o, at, "opts", JS_REQUIRED, &opts, err);

	if (rc < 0)
		return rc;
	js_write(opts, JS_SORTED, &b);
	if (b.len > KEY_TEXT_MAX) {
		struct js_at here = js_at_key(at, "opts");

		buf_free(&b);
		return js_fail(&here, err, "longer than %d bytes", KEY_TEXT_MAX);
	}
	*out = buf_detach(&b);
	return HB_OK;
}

int key_from_json(json_object *o, const struct js_at *at, struct key *out, struct hb_err *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	if ((rc = key_str(o, at, "bench", &out->bench, err)) < 0 ||
	    (rc = key_str(o, at, "metric", &out->metric, err)) < 0 ||
	    (rc = key_str(o, at, "class", &out->class_, err)) < 0 ||
	    (rc = key_str(o, at, "hw", &out->hw, err)) < 0 ||
	    (rc = key_opts(o, at, &out->opts, err)) < 0 ||
	    (rc = js_get_u64(o, at, "bytes", JS_REQUIRED, &out->bytes, err)) < 0 ||
	    (rc = js_get_int(o, at, "nodes", JS_REQUIRED, 1, KEY_COUNT_MAX, &out->nodes, err)) <
	            0 ||
	    (rc = js_get_int(o, at, "rpn", JS_REQUIRED, 1, KEY_COUNT_MAX, &out->rpn, err)) < 0) {
		key_free(out);
		return rc;
	}
	key_make(out);
	return HB_OK;
}

json_object *key_to_json(const struct key *k)
{
	json_object *o = json_object_new_object(), *opts = NULL;
	const char *text = k->opts ? k->opts : "{}";

	js_set_str(o, "bench", k->bench);
	js_set_str(o, "metric", k->metric);
	if (js_parse(text, strlen(text), "opts of a key", &opts, NULL) < 0)
		opts = json_object_new_object();
	js_set_obj(o, "opts", opts);
	js_set_u64(o, "bytes", k->bytes);
	js_set_i64(o, "nodes", k->nodes);
	js_set_i64(o, "rpn", k->rpn);
	js_set_str(o, "class", k->class_);
	js_set_str(o, "hw", k->hw);
	return o;
}

void key_copy(const struct key *src, struct key *dst)
{
	*dst = *src;
	dst->text = hb_strdup(src->text);
	dst->bench = hb_strdup(src->bench);
	dst->metric = hb_strdup(src->metric);
	dst->opts = hb_strdup(src->opts);
	dst->class_ = hb_strdup(src->class_);
	dst->hw = hb_strdup(src->hw);
}

void key_free(struct key *k)
{
	free(k->text);
	free(k->bench);
	free(k->metric);
	free(k->opts);
	free(k->class_);
	free(k->hw);
	memset(k, 0, sizeof(*k));
}

/* run.json: who measured what and when, and what became of each step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/collect/collect_parts.h"

enum { RUN_FILE_MAX = 16 << 20 };

/* "20261130-014210-7f3a" -> "2026-11-30T01:42:10Z"; "" if the id is another form. */
static void time_of_id(const char *id, char out[32])
{
	static const char form[] = "dddddddd-dddddd";
	out[0] = '\0';
	for (size_t i = 0; i < sizeof(form) - 1; i++) {
		bool digit = id[i] >= '0' && id[i] <= '9';
		if (form[i] == 'd' ? !digit : id[i] != form[i])
			return;
	}
	snprintf(out, 32, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", id, id + 4, id + 6, id + 9, id + 11,
	         id + 13);
}

static void defaults(struct collect *c, const char *dir)
{
	struct summary *s = c->out;
	const char *base = strrchr(dir, '/');
	char started[32];
	base = base && base[1] ? base + 1 : dir;
	if (!s->run)
		s->run = hb_strdup(c->plan.run ? c->plan.run : base);
	if (!s->suite)
		s->suite = hb_strdup(c->suite.name);
	if (!s->cluster)
		s->cluster = hb_strdup("");
	if (!s->user)
		s->user = hb_strdup("");
	if (!s->started) {
		time_of_id(s->run, started);
		s->started = hb_strdup(started);
	}
}

static int take_text(json_object *o, const struct js_at *at, const char *key, char **out,
                     struct hb_err *err)
{
	const char *text = NULL;
	int rc = js_get_str(o, at, key, JS_OPTIONAL, &text, err);
	if (rc == HB_OK && text)
		*out = hb_strdup(text);
	return rc;
}

/* "inject": absent, null, false, "" and a factor of 1 mean none. */
static bool is_injected(json_object *o)
{
	json_object *v = NULL;
	if (!json_object_object_get_ex(o, "inject", &v) || !v)
		return false;
	if (json_object_is_type(v, json_type_string))
		return json_object_get_string_len(v) > 0;
	if (json_object_is_type(v, json_type_boolean))
		return json_object_get_boolean(v);
	double factor = json_object_get_double(v);
	return factor < 1 || factor > 1;
}

static int take_steps(struct collect *c, json_object *arr, const struct js_at *up,
                      struct hb_err *err)
{
	struct js_at at = js_at_key(up, "steps");
	size_t n = json_object_array_length(arr), told = 0;
	for (size_t i = 0; i < n; i++) {
		struct js_at here = js_at_index(&at, i);
		json_object *o = json_object_array_get_idx(arr, i);
		uint64_t id = 0;
		const char *reason = NULL;
		double seconds = 0;
		int rc = js_get_u64(o, &here, "id", JS_REQUIRED, &id, err);
		if (rc == HB_OK)
			rc = js_get_f64(o, &here, "seconds", JS_OPTIONAL, &seconds, err);
		if (rc == HB_OK)
			rc = js_get_str(o, &here, "reason", JS_OPTIONAL, &reason, err);
		if (rc != HB_OK)
			return rc;
		if (id < 1 || id > c->plan.n_steps)
			continue;
		told++;
		c->step_s[id - 1] = seconds > 0 ? seconds : 0;
		if (reason && *reason) {
			free(c->step_reason[id - 1]);
			c->step_reason[id - 1] = hb_strdup(reason);
		}
	}
	if (told < c->plan.n_steps)
		c->out->partial = true;
	return HB_OK;
}

/* How helpers ran is a setting like those that they tell themselves. */
static int take_profile(struct summary *s, json_object *o, const struct js_at *at,
                        struct hb_err *err)
{
	const char *name = NULL;
	int rc = js_get_str(o, at, "profile", JS_OPTIONAL, &name, err);
	if (rc != HB_OK || !name)
		return rc;
	json_object *values = json_object_new_array();
	json_object_array_add(values, js_str(name));
	js_set_obj(s->fingerprint, "profile", values);
	return HB_OK;
}

static int take_about(struct collect *c, json_object *o, const char *path, struct hb_err *err)
{
	struct summary *s = c->out;
	struct js_at top = JS_AT_TOP(path);
	json_object *steps = NULL;
	int rc = take_text(o, &top, "run", &s->run, err);
	if (rc == HB_OK)
		rc = take_text(o, &top, "suite", &s->suite, err);
	if (rc == HB_OK)
		rc = take_text(o, &top, "label", &s->label, err);
	if (rc == HB_OK)
		rc = take_text(o, &top, "cluster", &s->cluster, err);
	if (rc == HB_OK)
		rc = take_text(o, &top, "user", &s->user, err);
	if (rc == HB_OK)
		rc = take_text(o, &top, "started", &s->started, err);
	if (rc == HB_OK)
		rc = take_profile(s, o, &top, err);
	if (rc == HB_OK)
		rc = js_get_bool(o, &top, "named", JS_OPTIONAL, &s->named, err);
	if (rc == HB_OK)
		rc = js_get_bool(o, &top, "partial", JS_OPTIONAL, &s->partial, err);
	if (rc == HB_OK)
		rc = js_get_arr(o, &top, "steps", JS_OPTIONAL, &steps, err);
	if (rc == HB_OK)
		rc = summary_shard_read(o, &top, s, err);
	if (rc == HB_OK && steps)
		rc = take_steps(c, steps, &top, err);
	s->injected = s->injected || is_injected(o);
	return rc;
}

int collect_about(struct collect *c, const char *dir)
{
	char *path = hb_format("%s/run.json", dir);
	json_object *o = NULL;
	int rc = HB_OK;
	c->out->injected = c->plan.inject > 1;
	if (access(path, F_OK) != 0) {
		c->out->partial = true; /* the run was killed before it could tell */
	} else {
		struct hb_err why;
		rc = js_read_file(path, RUN_FILE_MAX, &o, &why);
		if (rc == HB_OK)
			rc = take_about(c, o, path, &why);
		js_put(o);
		/* It only describes: the figures are in the records. */
		if (rc != HB_OK) {
			collect_add_loss(c->out, "run.json", why.text);
			c->out->partial = true;
			rc = HB_OK;
		}
	}
	defaults(c, dir);
	free(path);
	return rc;
}

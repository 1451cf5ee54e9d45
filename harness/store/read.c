#include "harness/store/read.h"

#include <string.h>

#include "bench/base/mem.h"

int read_text(json_object *o, const struct js_at *at, const char *name, enum js_need need,
              char **out, struct hb_err *err)
{
	const char *s = NULL;
	int rc = js_get_str(o, at, name, need, &s, err);

	if (rc < 0)
		return rc;
	if (s && (strlen(s) > READ_TEXT_MAX || (need == JS_REQUIRED && !s[0]))) {
		struct js_at here = js_at_key(at, name);

		return js_fail(&here, err, "must have 1 to %d bytes", READ_TEXT_MAX);
	}
	*out = hb_strdup(s);
	return HB_OK;
}

int read_names(json_object *o, const struct js_at *top, const char *name, enum json_type type,
               json_object **out, struct hb_err *err)
{
	json_object *v = NULL;
	struct js_at at = js_at_key(top, name);
	int rc = js_get_obj(o, top, name, JS_OPTIONAL, &v, err);

	if (rc < 0 || !v)
		return rc;
	if (json_object_object_length(v) > READ_NAMES_MAX)
		return js_fail(&at, err, "more than %d members", READ_NAMES_MAX);
	json_object_object_foreach(v, key, value)
	{
		struct js_at here = js_at_key(&at, key);

		if (!json_object_is_type(value, type))
			return js_fail(&here, err, "must be %s",
			               type == json_type_array ? "an array" : "a string");
	}
	js_put(*out);
	*out = json_object_get(v);
	return HB_OK;
}

int read_ratio(json_object *o, const struct js_at *at, const char *name, double *out,
               struct hb_err *err)
{
	int rc = js_get_f64(o, at, name, JS_OPTIONAL, out, err);

	if (rc < 0 || (*out >= 0.0 && *out <= 100.0))
		return rc;
	struct js_at here = js_at_key(at, name);

	return js_fail(&here, err, "must be from 0 to 100");
}

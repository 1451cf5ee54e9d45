/* How much foreign load a suite bears: the member "disturbed" of its file. */
#include <math.h>

#include "bench/base/units.h"
#include "harness/plan/suite_parts.h"

static const double share_most = 10;

static const char *const known[] = { "cpu", "nic", NULL };

void suite_disturbed_init(struct suite_disturbed *d)
{
	*d = (struct suite_disturbed){ false, 0.25, 0.1 };
}

/* A ratio as everywhere in a suite; null switches it off like 0; what is absent stays. */
static int get_share(json_object *o, const struct js_at *at, const char *key, double *out,
                     struct hb_err *err)
{
	struct js_at here = js_at_key(at, key);
	struct hb_err why = { HB_OK, "" };
	json_object *v = NULL;
	double share = 0;
	if (!json_object_object_get_ex(o, key, &v))
		return HB_OK;
	if (json_object_is_type(v, json_type_double) || json_object_is_type(v, json_type_int))
		share = json_object_get_double(v);
	else if (json_object_is_type(v, json_type_string))
		(void)units_parse_ratio(json_object_get_string(v), &share, &why);
	else if (v)
		return js_fail(&here, err, "expected a ratio such as 0.25 or \"25%%\", or null");
	if (why.code != HB_OK)
		return js_fail(&here, err, "%s", why.text);
	if (!(isfinite(share) && share >= 0 && share <= share_most))
		return js_fail(&here, err, "%g is outside 0 to %g", share, share_most);
	*out = share;
	return HB_OK;
}

int suite_disturbed_from_json(json_object *o, const struct js_at *top, struct suite_disturbed *out,
                              struct hb_err *err)
{
	struct js_at at = js_at_key(top, "disturbed");
	json_object *d = NULL;
	suite_disturbed_init(out);
	if (!json_object_object_get_ex(o, "disturbed", &d))
		return HB_OK;
	out->given = true;
	if (!d) {
		out->cpu = out->nic = 0;
		return HB_OK;
	}
	if (!json_object_is_type(d, json_type_object))
		return js_fail(&at, err, "expected an object, or null");
	int rc = js_known_keys(d, &at, known, err);
	if (rc == HB_OK)
		rc = get_share(d, &at, "cpu", &out->cpu, err);
	if (rc == HB_OK)
		rc = get_share(d, &at, "nic", &out->nic, err);
	return rc;
}

void suite_disturbed_to_json(const struct suite_disturbed *d, json_object *o)
{
	json_object *v;
	if (!d->given)
		return;
	v = json_object_new_object();
	js_set_f64(v, "cpu", d->cpu);
	js_set_f64(v, "nic", d->nic);
	js_set_obj(o, "disturbed", v);
}

#include "bench/base/load_span.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "bench/base/num.h"

struct row {
	const char *name;
	size_t offset;
	enum js_need need;
};

#define AT(field) offsetof(struct load_span, field)
static const struct row span_rows[] = {
	{ "seconds", AT(seconds), JS_REQUIRED },
	{ "busy_s", AT(busy_s), JS_OPTIONAL },
	{ "soft_s", AT(soft_s), JS_OPTIONAL },
	{ "own_s", AT(own_s), JS_OPTIONAL },
	{ "cores", AT(cores), JS_OPTIONAL },
	{ "load1", AT(load1), JS_OPTIONAL },
	{ "tx", AT(tx), JS_OPTIONAL },
	{ "rx", AT(rx), JS_OPTIONAL },
	{ "tx_before", AT(tx_before), JS_OPTIONAL },
	{ "rx_before", AT(rx_before), JS_OPTIONAL },
};
#undef AT
#define AT(field) offsetof(struct load_nic, field)
static const struct row nic_rows[] = {
	{ "rx", AT(rx), JS_OPTIONAL },
	{ "tx", AT(tx), JS_OPTIONAL },
	{ "max_Bps", AT(max_Bps), JS_OPTIONAL },
	{ "lag_s", AT(lag_s), JS_OPTIONAL },
};
#undef AT
enum {
	SPAN_ROWS = sizeof(span_rows) / sizeof(*span_rows),
	NIC_ROWS = sizeof(nic_rows) / sizeof(*nic_rows)
};
/* Larger than anything real: sums of it stay finite. */
static const double figure_max = 1e18;

/* Nobody computes with more digits than these. */
static double shortened(double v)
{
	const char *end;
	char text[NUM_TEXT];

	if (!isfinite(v))
		return 0;
	num_format(text, sizeof(text), "%.6g", v);
	num_parse(text, &end, &v);
	return v;
}

static void set_rows(json_object *o, const struct row *rows, size_t n, const void *from)
{
	for (size_t i = 0; i < n; i++) {
		double v;

		memcpy(&v, (const char *)from + rows[i].offset, sizeof(v));
		js_set_f64(o, rows[i].name, shortened(v));
	}
}

static int get_rows(json_object *o, const struct js_at *at, const struct row *rows, size_t n,
                    void *to, struct hb_err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct js_at here = js_at_key(at, rows[i].name);
		double v = 0;

		if (js_get_f64(o, at, rows[i].name, rows[i].need, &v, err) < 0)
			return HB_E_FORMAT;
		if (!(v >= 0 && v <= figure_max))
			return js_fail(&here, err, "must be from 0 to %g", figure_max);
		memcpy((char *)to + rows[i].offset, &v, sizeof(v));
	}
	return HB_OK;
}

void load_span_set(json_object *o, const struct load_span *s)
{
	json_object *nics = json_object_new_array();

	set_rows(o, span_rows, SPAN_ROWS, s);
	for (int i = 0; i < s->n_nics; i++) {
		json_object *n = json_object_new_object();

		js_set_str(n, "name", s->nics[i].name);
		set_rows(n, nic_rows, NIC_ROWS, &s->nics[i]);
		json_object_array_add(nics, n);
	}
	js_set_obj(o, "nics", nics);
}

static int get_nic(json_object *o, const struct js_at *at, struct load_nic *out, struct hb_err *err)
{
	const char *name = NULL;

	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "is not an object");
	if (js_get_str(o, at, "name", JS_REQUIRED, &name, err) < 0)
		return HB_E_FORMAT;
	if (strlen(name) >= sizeof(out->name))
		return js_fail(at, err, "the name of a device has at most %d bytes",
		               LOAD_NAME_MAX - 1);
	memcpy(out->name, name, strlen(name) + 1);
	/* It goes into lines for people. */
	for (char *p = out->name; *p; p++)
		if (*p < '!' || *p > '~')
			*p = '?';
	return get_rows(o, at, nic_rows, NIC_ROWS, out, err);
}

int load_span_from_json(json_object *o, const struct js_at *at, struct load_span *out,
                        struct hb_err *err)
{
	struct js_at nics_at = js_at_key(at, "nics");
	json_object *nics = NULL;
	size_t n;

	*out = (struct load_span){ 0 };
	if (get_rows(o, at, span_rows, SPAN_ROWS, out, err) < 0 ||
	    js_get_arr(o, at, "nics", JS_OPTIONAL, &nics, err) < 0)
		return HB_E_FORMAT;
	n = nics ? json_object_array_length(nics) : 0;
	if (n > LOAD_NICS_MAX)
		return js_fail(&nics_at, err, "%zu devices; at most %d", n, LOAD_NICS_MAX);
	for (size_t i = 0; i < n; i++) {
		struct js_at here = js_at_index(&nics_at, i);
		int rc = get_nic(json_object_array_get_idx(nics, i), &here, &out->nics[i], err);

		if (rc < 0)
			return rc;
	}
	out->n_nics = (int)n;
	return HB_OK;
}

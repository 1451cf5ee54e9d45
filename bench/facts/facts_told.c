/*
 * A captured tree holds what no file of the machine says (answers of system calls, of ioctl, of
 * name services, of libraries) as TREE/hpcbench/facts.json: a list of fact records, as
 * `hpcbench-node --facts` prints it there. Told again are those whose source is no path.
 */
#include <errno.h>
#include <string.h>

#include "bench/base/fact.h"
#include "bench/base/json.h"
#include "bench/core/env_parts.h"
#include "bench/facts/facts_parts.h"

#define CAPTURED "/hpcbench/facts.json"

/*
 * A file that a kernel refuses to read ("PATH: Invalid argument") cannot be captured: that it was
 * refused is told again. One that is not there is not there in the tree either.
 */
static bool was_refused(const char *value, const char *source)
{
	static const int reasons[] = { EINVAL, EACCES, EPERM, EIO, EOPNOTSUPP, EAGAIN, ENODEV };
	const char *why = strstr(source, ": ");

	for (size_t i = 0; !value && why && i < sizeof(reasons) / sizeof(*reasons); i++)
		if (strcmp(why + 2, strerror(reasons[i])) == 0)
			return true;
	return false;
}

static int tell_record(const struct fact_sink *s, json_object *o, const struct js_at *at,
                       struct hb_err *err)
{
	static const char *const own[] = { "sw.", "mpi.", "env.", "lib.", NULL };
	const char *endpoint = "", *key = "", *value = NULL, *source = "";
	size_t node;
	int rc;

	if (!json_object_is_type(o, json_type_object))
		return js_fail(at, err, "a fact record was expected");
	if ((rc = js_get_str(o, at, "endpoint", JS_REQUIRED, &endpoint, err)) < 0 ||
	    (rc = js_get_str(o, at, "key", JS_REQUIRED, &key, err)) < 0 ||
	    (rc = js_get_str(o, at, "value", JS_OPTIONAL, &value, err)) < 0 ||
	    (rc = js_get_str(o, at, "source", JS_REQUIRED, &source, err)) < 0)
		return rc;
	/* Told by whoever reads the tree, of its own process. */
	if (!facts_begins(key, own) && *key && (*source != '/' || was_refused(value, source)))
		fact_tell(s, fact_device(endpoint, &node), key, value, source);
	return HB_OK;
}

static int tell_list(const struct fact_sink *s, const struct buf *text, struct hb_err *err)
{
	struct js_at top = JS_AT_TOP(CAPTURED);
	json_object *list = NULL;
	int rc = js_parse(buf_text(text), text->len, CAPTURED, &list, err);

	if (rc == HB_OK && !json_object_is_type(list, json_type_array))
		rc = js_fail(&top, err, "a list was expected");
	for (size_t i = 0; rc == HB_OK && i < json_object_array_length(list); i++) {
		struct js_at at = js_at_index(&top, i);

		rc = tell_record(s, json_object_array_get_idx(list, i), &at, err);
	}
	js_put(list);
	return rc;
}

void facts_told(const struct fact_sink *s)
{
	struct hb_err err = { HB_OK, "" };
	struct buf text = BUF_INIT;

	/* Other tools read what is wrong with it: the facts before it were told. */
	if (facts_file(CAPTURED, FACTS_LARGE, &text) == 0 && tell_list(s, &text, &err) < 0)
		fact_tell(s, "", "capture.error", NULL, err.text);
	buf_free(&text);
}

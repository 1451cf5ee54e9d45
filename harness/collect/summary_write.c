#include <stdlib.h>

#include "bench/base/mem.h"
#include "harness/collect/summary.h"
#include "harness/store/store.h"

int summary_write(const char *dir, const struct summary *s, struct hb_err *err)
{
	char *path = hb_format("%s/summary.json", dir);
	json_object *o = summary_to_json(s);
	struct buf b = BUF_INIT;
	int rc;

	/* One line: it is for machines and may be large. */
	js_write(o, JS_PLAIN, &b);
	buf_putc(&b, '\n');
	rc = store_write(path, b.data, b.len, err);
	buf_free(&b);
	js_put(o);
	free(path);
	return rc;
}

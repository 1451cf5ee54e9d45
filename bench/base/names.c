#include "bench/base/names.h"

#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"

int names_each(const char *what, const char *list, names_fn *each, void *arg, struct hb_err *err)
{
	int rc = HB_OK;

	for (const char *p = list; rc == HB_OK; p++) {
		size_t len = strcspn(p, ",");
		char *name = hb_strndup(p, len);
		rc = len ? each(name, arg, err)
		         : hb_fail(err, HB_E_USAGE,
		                   "%s '%.120s': a name, or names with commas between them", what,
		                   list);
		free(name);
		p += len;
		if (!*p)
			break;
	}
	return rc;
}

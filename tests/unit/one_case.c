#include "one_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

int one_case_run(struct one_case *o, uint64_t bytes, const struct run_params *params)
{
	int rc;

	*o = (struct one_case){ .ops = o->ops, .opts = o->opts };
	o->b = (struct bench){ .ops = o->ops,
		               .info = o->ops->info,
		               .opts = o->opts,
		               .bytes = bytes,
		               .max_bytes = bytes,
		               .comm = comm_solo_open(),
		               .nranks = 1,
		               .seed = 3 };
	o->b.state = calloc(1, o->ops->state_size);
	assert_non_null(o->b.state);
	rc = o->ops->setup(&o->b, &o->err);
	if (!rc)
		rc = run_case(&o->b, params, &o->result, &o->err);
	if (!rc)
		run_metrics(&o->b, &o->result, &o->p);
	return rc;
}

void one_case_end(struct one_case *o)
{
	o->ops->teardown(&o->b);
	o->b.comm->ops->close(o->b.comm);
	free(o->b.state);
	run_result_free(&o->result);
}

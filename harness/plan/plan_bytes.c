/* How much a run of a plan writes. */
#include "harness/plan/plan.h"

double plan_bytes(const struct plan *p)
{
	return (double)p->next_unit * 1000;
}

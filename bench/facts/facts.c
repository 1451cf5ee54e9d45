#include "bench/facts/facts.h"

void facts_node(const struct fact_sink *s)
{
	(void)s;
}

void facts_libraries(const struct fact_sink *s)
{
	(void)s;
}

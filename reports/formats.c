#include "reports/formats.h"

const struct report_ops *const report_formats[] = { &report_text, &report_json, &report_markdown,
	                                            NULL };

const struct report_ops *report_find(const char *name)
{
	for (size_t i = 0; report_formats[i]; i++)
		if (strcmp(report_formats[i]->name, name) == 0)
			return report_formats[i];
	return NULL;
}

/*
 * The formats a document can be printed in: one row each, one file each. Only the table in
 * formats.c includes this.
 */
#ifndef HPCBENCH_REPORTS_FORMATS_H
#define HPCBENCH_REPORTS_FORMATS_H

#include "reports/doc.h"

extern const struct report_ops report_text, report_json, report_markdown;

#endif

/* The control channel's secret: 128 bits from the kernel, as 32 hexadecimal digits. */
#ifndef HPCBENCH_BASE_TOKEN_H
#define HPCBENCH_BASE_TOKEN_H

#include <stdbool.h>

#include "bench/base/err.h"

enum { TOKEN_TEXT = 33 };
int token_make(char out[TOKEN_TEXT], struct hb_err *err);
/* Constant time in the length of the expected token. */
bool token_equal(const char *expected, const char *given);

#endif

#include "bench/base/token.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

int token_make(char out[TOKEN_TEXT], struct hb_err *err)
{
	unsigned char raw[(TOKEN_TEXT - 1) / 2];
	size_t got = 0;
	while (got < sizeof(raw)) {
		ssize_t n = getrandom(raw + got, sizeof(raw) - got, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return hb_fail(err, HB_E_IO, "cannot get random bytes from the kernel: %s",
			               strerror(errno));
		got += (size_t)n;
	}
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < sizeof(raw); i++) {
		out[2 * i] = digits[raw[i] >> 4];
		out[2 * i + 1] = digits[raw[i] & 15];
	}
	out[TOKEN_TEXT - 1] = '\0';
	return HB_OK;
}

bool token_equal(const char *expected, const char *given)
{
	size_t want = strlen(expected), have = strlen(given);
	/* Looks at every byte of expected whatever is given, so that time tells nothing. */
	unsigned char differ = want != have || want == 0;
	for (size_t i = 0; i < want; i++) {
		char g = given[have ? i % have : 0];
		differ = (unsigned char)(differ | ((unsigned char)expected[i] ^ (unsigned char)g));
	}
	return differ == 0;
}

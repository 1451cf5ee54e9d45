/* What must not be told. */
#include <string.h>
#include <strings.h>

#include "bench/facts/facts_parts.h"

bool facts_is_secret(const char *name)
{
	static const char *const words[] = { "TOKEN", "KEY",  "SECRET", "PASS", "CRED",
		                             "AUTH",  "CERT", "COOKIE", "PRIV" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

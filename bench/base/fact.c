#include "bench/base/fact.h"

#include <string.h>

static bool fits(const char *row, const char *key)
{
	size_t len = strlen(row);

	return len > 2 && strcmp(row + len - 2, ".*") == 0 && strncmp(row, key, len - 1) == 0 &&
	       key[len - 1] != '\0';
}

const struct fact_info *fact_find(const char *key)
{
	const struct fact_info *found = NULL;

	for (const struct fact_info *f = fact_catalog; f->key; f++) {
		if (strcmp(f->key, key) == 0)
			return f;
		if (!found && fits(f->key, key))
			found = f;
	}
	return found;
}

const char *fact_about_name(enum fact_about about)
{
	switch (about) {
	case FACT_NODE: return "node";
	case FACT_NETDEV: return "netdev";
	case FACT_PORT: return "port";
	case FACT_GPU: return "gpu";
	case FACT_FOLDER: return "folder";
	case FACT_LIB: return "lib";
	case FACT_PEER: return "peer";
	}
	return "node";
}

const char *fact_device(const char *endpoint, size_t *node_len)
{
	size_t len = strcspn(endpoint, "/");

	*node_len = len;
	return endpoint[len] ? endpoint + len + 1 : endpoint + len;
}

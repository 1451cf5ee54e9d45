/*
 * The keys of one JSON object, to find one that occurs twice; part of js_check. Few keys are
 * compared as they come; many are sorted at the end, so that no text, whatever it was made for,
 * costs more than n log n.
 */
#ifndef HPCBENCH_BASE_JSON_KEYS_H
#define HPCBENCH_BASE_JSON_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/base/buf.h"

/* A key as it stands in the text, without its quotes; its escapes have been checked. */
struct json_key {
	const unsigned char *p;
	uint32_t len;
	bool escaped;
};

enum { JSON_KEYS_SMALL = 32 };

struct json_keys {
	struct json_key small[JSON_KEYS_SMALL];
	uint32_t sketch[JSON_KEYS_SMALL]; /* of each small key: tells most keys apart */
	struct json_key *large;           /* all keys, once there are more than fit in small */
	size_t n, cap;
	uint64_t seen; /* a bit for the sketch of each key: most new keys need no search */
	bool escaped;  /* a key has escapes: sketches tell nothing */
};

void json_keys_start(struct json_keys *set);
/* False if the same key was found already; true also where only the end will tell. */
bool json_keys_add(struct json_keys *set, const struct json_key *key);
/* At the end of the object: the first key in the text that repeats another, or NULL. */
const struct json_key *json_keys_repeated(struct json_keys *set);
void json_keys_free(struct json_keys *set);

/* Appends the key with its escapes resolved. */
void json_key_decode(const struct json_key *key, struct buf *out);

/* The value of the four digits of a \u escape at p, or -1. */
long json_hex4(const unsigned char *p, const unsigned char *end);

#endif

#include "harness/store/store_tar.h"

#include <stdio.h>
#include <string.h>

/* Where fields stand, and how long they are. */
enum {
	NAME_AT = 0,
	MODE_AT = 100,
	UID_AT = 108,
	GID_AT = 116,
	SIZE_AT = 124,
	MTIME_AT = 136,
	SUM_AT = 148,
	TYPE_AT = 156,
	MAGIC_AT = 257,
	PREFIX_AT = 345,
	ID_LEN = 8,
	NUMBER_LEN = 12,
	PREFIX_LEN = 155
};
#define NUMBER_MAX 077777777777u /* of NUMBER_LEN - 1 octal digits */

/* The sum of all bytes, those of the sum itself taken as spaces. */
static uint64_t sum_of(const char *block)
{
	uint64_t sum = 0;
	for (int i = 0; i < TAR_BLOCK; i++)
		sum += i >= SUM_AT && i < SUM_AT + ID_LEN ? ' ' : (unsigned char)block[i];
	return sum;
}

static void put_number(char *field, int len, uint64_t v)
{
	char text[NUMBER_LEN + 12];
	(void)snprintf(text, sizeof text, "%0*llo", len - 1, (unsigned long long)v);
	memcpy(field, text, (size_t)len - 1);
}

/* Octal digits, spaces before them allowed, up to a space, a zero byte or the field's end. */
static int get_number(const char *field, int len, uint64_t *out)
{
	int i = 0, first;
	uint64_t v = 0;
	while (i < len && field[i] == ' ')
		i++;
	for (first = i; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		v = v * 8 + (uint64_t)(field[i] - '0');
	if (i == first || (i < len && field[i] != ' ' && field[i] != '\0'))
		return -1;
	*out = v;
	return 0;
}

int tar_write(const struct tar_entry *e, char block[TAR_BLOCK], struct hb_err *err)
{
	size_t n = strlen(e->name);
	if (n == 0 || n > TAR_NAME_MAX)
		return hb_fail(err, HB_E_USAGE,
		               "'%.120s': a name in an archive has at most %d bytes", e->name,
		               TAR_NAME_MAX);
	if (e->size > NUMBER_MAX)
		return hb_fail(err, HB_E_USAGE, "%s is too large for an archive", e->name);
	memset(block, 0, TAR_BLOCK);
	for (size_t i = 0; i < n; i++) /* all of the field may be used: no zero byte then */
		block[NAME_AT + i] = e->name[i];
	put_number(block + MODE_AT, ID_LEN, e->kind == TAR_FOLDER ? 0755 : 0644);
	put_number(block + UID_AT, ID_LEN, 0);
	put_number(block + GID_AT, ID_LEN, 0);
	put_number(block + SIZE_AT, NUMBER_LEN, e->kind == TAR_FILE ? e->size : 0);
	put_number(block + MTIME_AT, NUMBER_LEN, e->mtime > NUMBER_MAX ? 0 : e->mtime);
	block[TYPE_AT] = e->kind == TAR_FOLDER ? '5' : '0';
	/* "ustar", a zero byte, and the version 00. */
	memcpy(block + MAGIC_AT, "ustar", sizeof "ustar");
	block[MAGIC_AT + 6] = '0';
	block[MAGIC_AT + 7] = '0';
	put_number(block + SUM_AT, ID_LEN - 1, sum_of(block));
	block[SUM_AT + ID_LEN - 1] = ' ';
	return HB_OK;
}

static int read_name(const char *block, struct tar_entry *out, struct hb_err *err)
{
	size_t n = strnlen(block + NAME_AT, TAR_NAME_MAX);
	size_t n_prefix = strnlen(block + PREFIX_AT, PREFIX_LEN);
	/* GNU's own form keeps other things there. */
	if (block[MAGIC_AT + 5] != '\0')
		n_prefix = 0;
	size_t at = n_prefix ? n_prefix + 1 : 0;
	if (n == 0 || at + n > TAR_NAME_MAX)
		return hb_fail(err, HB_E_FORMAT, "a name that is empty or too long");
	memcpy(out->name, block + PREFIX_AT, n_prefix);
	if (n_prefix)
		out->name[n_prefix] = '/';
	memcpy(out->name + at, block + NAME_AT, n);
	out->name[at + n] = '\0';
	return HB_OK;
}

int tar_read(const char block[TAR_BLOCK], struct tar_entry *out, struct hb_err *err)
{
	static const char empty[TAR_BLOCK];
	uint64_t sum = 0;
	*out = (struct tar_entry){ .kind = TAR_END };
	if (memcmp(block, empty, TAR_BLOCK) == 0)
		return HB_OK;
	if (memcmp(block + MAGIC_AT, "ustar", 5) != 0 ||
	    get_number(block + SUM_AT, ID_LEN, &sum) != 0 || sum != sum_of(block))
		return hb_fail(err, HB_E_FORMAT, "not a tar archive, or a damaged one");
	if (get_number(block + SIZE_AT, NUMBER_LEN, &out->size) != 0 ||
	    get_number(block + MTIME_AT, NUMBER_LEN, &out->mtime) != 0)
		return hb_fail(err, HB_E_FORMAT, "a number that cannot be read");
	if (read_name(block, out, err) != HB_OK)
		return HB_E_FORMAT;
	switch (block[TYPE_AT]) {
	case '\0':
	case '0': out->kind = TAR_FILE; return HB_OK;
	case '5': out->kind = TAR_FOLDER; return HB_OK;
	default: break;
	}
	return hb_fail(err, HB_E_FORMAT, "'%s' is neither file nor folder", out->name);
}

size_t tar_padding(uint64_t size)
{
	return (size_t)((TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
}

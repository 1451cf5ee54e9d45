/*
 * The headers of POSIX ustar archives: regular files with short names, no more. Each header and
 * each file is filled up to whole blocks; two empty blocks end an archive.
 */
#ifndef HPCBENCH_HARNESS_STORE_TAR_H
#define HPCBENCH_HARNESS_STORE_TAR_H

#include <stdint.h>

#include "bench/base/err.h"

enum { TAR_BLOCK = 512, TAR_NAME_MAX = 100 };

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_END };

struct tar_entry {
	char name[TAR_NAME_MAX + 1];
	enum tar_kind kind;
	uint64_t size, mtime;
};

/* HB_E_USAGE: the name or the size is too long for the format. */
int tar_write(const struct tar_entry *e, char block[TAR_BLOCK], struct hb_err *err);
/*
 * An empty block is TAR_END. HB_E_FORMAT: no header, a wrong sum, a link, a device, or anything
 * else that is neither file nor folder. The name is whatever stands there.
 */
int tar_read(const char block[TAR_BLOCK], struct tar_entry *out, struct hb_err *err);
/* Bytes behind a file of this size up to the next block. */
size_t tar_padding(uint64_t size);

#endif

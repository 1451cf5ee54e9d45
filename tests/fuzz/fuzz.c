#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/base/utf8.h"
#include "tests/fuzz/memory.h"

void fuzz_broken(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	memory_watch();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of its own length, so that a sanitizer sees who reads beyond it. */
	char *copy = size ? malloc(size) : NULL;

	if (size > FUZZ_INPUT_MAX || (size && !copy)) {
		free(copy);
		return 0;
	}
	if (size)
		memcpy(copy, data, size);
	memory_begin();
	fuzz_one(copy ? copy : "", size);
	memory_end();
	free(copy);
	return 0;
}

bool fuzz_ok(int rc, const struct hb_err *err)
{
	FUZZ_CHECK(rc <= HB_OK);
	if (rc == HB_OK)
		return true;
	FUZZ_CHECK(err->code == (enum hb_status)rc);
	FUZZ_CHECK(err->text[0] && strlen(err->text) < sizeof(err->text));
	return false;
}

char *fuzz_text(const char *data, size_t size)
{
	return hb_strndup(data, size);
}

json_object *fuzz_object(const char *data, size_t size)
{
	struct hb_err err = { HB_OK, "" };
	json_object *o = NULL;

	if (!fuzz_ok(js_parse(data, size, "input", &o, &err), &err))
		return NULL;
	if (json_object_is_type(o, json_type_object))
		return o;
	js_put(o);
	return NULL;
}

struct fuzz_part fuzz_next_part(const char **data, size_t *size)
{
	struct fuzz_part rest = { *data, *size }, line, part = { *data, *size };

	*data += *size;
	*size = 0;
	while (fuzz_next_line(&rest, &line)) {
		if (line.len != 2 || memcmp(line.text, "%%", 2) != 0)
			continue;
		part.len = (size_t)(line.text - part.text);
		*data = rest.text;
		*size = rest.len;
		break;
	}
	return part;
}

bool fuzz_next_line(struct fuzz_part *part, struct fuzz_part *line)
{
	const char *end = part->len ? memchr(part->text, '\n', part->len) : NULL;
	size_t taken = end ? (size_t)(end - part->text) + 1 : part->len;

	*line = (struct fuzz_part){ part->text, end ? taken - 1 : taken };
	part->text += taken;
	part->len -= taken;
	return taken > 0;
}

void fuzz_check_clean(const char *text, size_t len, bool lines)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + len;

	while (p < end) {
		size_t n = utf8_len(p, end);
		FUZZ_CHECK(n > 0);
		FUZZ_CHECK(n > 1 || (*p >= 0x20 && *p != 0x7f) || (lines && *p == '\n'));
		FUZZ_CHECK(n != 2 || p[0] != 0xc2 || p[1] >= 0xa0);
		p += n;
	}
}

void fuzz_check_same(json_object *a, json_object *b)
{
	struct buf text_a = BUF_INIT, text_b = BUF_INIT;

	js_write(a, JS_PLAIN, &text_a);
	js_write(b, JS_PLAIN, &text_b);
	if (strcmp(buf_text(&text_a), buf_text(&text_b)) != 0) {
		fprintf(stderr, "%s\n%s\n", buf_text(&text_a), buf_text(&text_b));
		fuzz_broken(__FILE__, __LINE__, "both are the same");
	}
	buf_free(&text_a);
	buf_free(&text_b);
	js_put(a);
	js_put(b);
}

/* ---- files ---- */

static char folder[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_folder(void)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
	if (folder[0])
		return folder;
	snprintf(folder, sizeof(folder), "/dev/shm/hpcbench-fuzz-XXXXXX");
	if (!mkdtemp(folder)) {
		snprintf(folder, sizeof(folder), "/tmp/hpcbench-fuzz-XXXXXX");
		FUZZ_CHECK(mkdtemp(folder) != NULL);
	}
	atexit(remove_folder);
	return folder;
}

void fuzz_put_file(const char *name, const char *text, size_t len)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, text, len) == (ssize_t)len);
	close(fd);
}

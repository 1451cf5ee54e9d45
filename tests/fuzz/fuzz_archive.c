/*
 * Archives of runs from elsewhere, and the strict reading of what they bring. Checksums are put
 * right first, else nothing would ever come behind them. A refused archive leaves nothing behind.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "harness/store/store_export.h"
#include "harness/store/store_remove.h"
#include "harness/store/store_tar.h"
#include "harness/store/store_verify.h"
#include "tests/fuzz/fuzz.h"

enum { SUM_AT = 148, SUM_LEN = 8 };

/* Header after header; where one is no header the rest stays as it is. */
static void mend_sums(char *tar, size_t len)
{
	struct tar_entry e;

	for (size_t at = 0; len - at >= TAR_BLOCK;) {
		unsigned sum = ' ' * SUM_LEN;
		char text[SUM_LEN + 1];
		for (size_t i = 0; i < TAR_BLOCK; i++)
			sum += i - SUM_AT < SUM_LEN ? 0 : (unsigned char)tar[at + i];
		snprintf(text, sizeof(text), "%06o", sum);
		if (sum > ' ' * SUM_LEN)
			memcpy(tar + at + SUM_AT, text, SUM_LEN - 1);
		if (tar_read(tar + at, &e, NULL) != HB_OK || e.kind == TAR_END ||
		    e.size > len - at - TAR_BLOCK)
			return;
		at += TAR_BLOCK + (size_t)e.size + tar_padding(e.size);
		if (at > len)
			return;
	}
}

static void on_problem(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx;
	(void)line;
	FUZZ_CHECK(*file && *text);
}

static void check_taken(const struct store *s, const struct import *in)
{
	const struct verify_sink sink = { on_problem, NULL };
	struct hb_err err = { HB_OK, "" };
	enum verify_state state;

	for (size_t i = 0; i < in->n_runs; i++) {
		char *dir = hb_format("%s/runs/%s", s->path, in->runs[i]);
		FUZZ_CHECK(store_is_run_id(in->runs[i]));
		fuzz_ok(verify_run(dir, &sink, &state, &err), &err);
		free(dir);
	}
	for (size_t i = 0; i < in->n_baselines; i++)
		FUZZ_CHECK(!strchr(in->baselines[i], '/'));
}

/* How many entries a folder of the store has; all are removed. */
static size_t empty_folder(const struct store *s, const char *name)
{
	char *path = hb_format("%s/%s", s->path, name);
	struct dirent *e;
	struct stat st;
	DIR *d = opendir(path);
	size_t n = 0;

	FUZZ_CHECK(d != NULL);
	while ((e = readdir(d))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		FUZZ_CHECK(fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0);
		FUZZ_CHECK(S_ISDIR(st.st_mode) || S_ISREG(st.st_mode));
		if (S_ISDIR(st.st_mode)) {
			int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			FUZZ_CHECK(remove_tree(dirfd(d), e->d_name, fd, NULL) == HB_OK);
			close(fd);
		} else {
			FUZZ_CHECK(unlinkat(dirfd(d), e->d_name, 0) == 0);
		}
		n++;
	}
	closedir(d);
	free(path);
	return n;
}

void fuzz_one(const char *data, size_t size)
{
	char *path = hb_format("%s/in.tar", fuzz_folder());
	char *tar = hb_alloc(size + 1), *where;
	struct hb_err err = { HB_OK, "" };
	struct import in;
	struct store s = { 0 };
	size_t n;
	bool taken;

	memcpy(tar, data, size);
	mend_sums(tar, size);
	fuzz_put_file("in.tar", tar, size);
	where = hb_format("%s/store", fuzz_folder());
	/* Opening a store takes a process, which looks whether it can be written: done once. */
	if (access(where, F_OK) == 0)
		s.path = hb_strdup(where);
	else
		FUZZ_CHECK(store_open(where, true, &s, &err) == HB_OK);
	taken = fuzz_ok(store_import(&s, path, &in, &err), &err);
	if (taken)
		check_taken(&s, &in);
	n = empty_folder(&s, "runs") + empty_folder(&s, "baselines");
	FUZZ_CHECK(n == (taken ? in.n_runs + in.n_baselines : 0));
	store_import_free(&in);
	store_close(&s);
	free(where);
	free(path);
	free(tar);
}

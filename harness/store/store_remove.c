#include "harness/store/store_remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/store/store.h"

enum { LEVELS_MAX = 4, FOLDERS_OPEN = 16 };

/* A stream of its own over the folder; closing it leaves dir open. */
static DIR *list_of(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d && fd >= 0)
		close(fd);
	return d;
}

static struct dirent *next_of(DIR *d)
{
	struct dirent *e;
	do {
		errno = 0;
		e = readdir(d);
	} while (e && (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0));
	return e;
}

static int walk(int dir, dev_t device, int levels, uint64_t *count);

/* One entry of the folder: counted or removed. */
static int take_entry(int dir, const char *name, dev_t device, int levels, uint64_t *count)
{
	struct stat st;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -1;
	if (!S_ISDIR(st.st_mode)) {
		if (count)
			*count += S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
		else if (unlinkat(dir, name, 0) != 0 && errno != ENOENT)
			return -1;
		return 0;
	}
	if (levels == 0 || st.st_dev != device) {
		errno = levels == 0 ? ELOOP : EXDEV;
		return count ? 0 : -1;
	}
	int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0)
		return -1;
	int rc = walk(sub, device, levels - 1, count);
	close(sub);
	if (rc == 0 && !count && unlinkat(dir, name, AT_REMOVEDIR) != 0)
		rc = errno == ENOENT ? 0 : -1;
	return rc;
}

static int walk(int dir, dev_t device, int levels, uint64_t *count)
{
	DIR *d = list_of(dir);
	struct dirent *e;
	int rc = 0, why = 0;
	if (!d)
		return -1;
	while (rc == 0 && (e = next_of(d)) != NULL) {
		rc = take_entry(dir, e->d_name, device, levels, count);
		why = errno;
	}
	closedir(d);
	errno = why;
	return rc;
}

int remove_tree(int parent, const char *name, int dir, uint64_t *count)
{
	struct stat st;
	if (fstat(dir, &st) != 0 || walk(dir, st.st_dev, LEVELS_MAX, count) != 0)
		return -1;
	return count ? 0 : unlinkat(parent, name, AT_REMOVEDIR);
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	(void)flag;
	(void)at;
	(void)remove(path);
	return 0; /* the rest goes all the same */
}

void store_remove_temporary(const char *path)
{
	(void)nftw(path, remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n > m && strcmp(name + n - m, end) == 0;
}

static int take_left(int dir, const char *name, const struct stat *st, bool dry_run,
                     uint64_t *bytes)
{
	if (!S_ISDIR(st->st_mode)) {
		*bytes += S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0;
		return dry_run ? 0 : unlinkat(dir, name, 0);
	}
	int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0)
		return -1;
	int rc = remove_tree(dir, name, sub, bytes);
	if (rc == 0 && !dry_run)
		rc = remove_tree(dir, name, sub, NULL);
	close(sub);
	return rc;
}

void remove_left(int dir, int kinds, time_t before, bool dry_run, size_t *n, uint64_t *bytes)
{
	DIR *d = list_of(dir);
	struct dirent *e;
	while (d && (e = next_of(d)) != NULL) {
		struct stat st;
		uint64_t size = 0;
		bool left = ((kinds & LEFT_TEMP) != 0 && ends_with(e->d_name, ".tmp")) ||
		            ((kinds & LEFT_LOCK) != 0 && ends_with(e->d_name, ".lock"));
		if (!left || fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    st.st_mtime > before || take_left(dir, e->d_name, &st, dry_run, &size) != 0)
			continue;
		*n += 1;
		*bytes += size;
	}
	if (d)
		closedir(d);
}

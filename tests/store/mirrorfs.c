/*
 * A FUSE file system that shows a folder: mirrorfs FOLDER MOUNTPOINT. It runs in the foreground, so
 * that a test can stop it (SIGSTOP): then whoever looks at the mount point hangs, as with a file
 * server that is gone; SIGCONT brings it back, SIGKILL ends all waits with an error.
 */
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PATH_LEN = 4096 };

struct path {
	char text[PATH_LEN];
};

static const char *real(const char *path, struct path *out)
{
	snprintf(out->text, sizeof out->text, "%s%s",
	         (const char *)fuse_get_context()->private_data, path);
	return out->text;
}

static int done(int rc)
{
	return rc < 0 ? -errno : 0;
}

static int m_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	struct path p;

	(void)fi;
	return done(lstat(real(path, &p), st));
}

static int m_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t offset,
                     struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	struct path p;
	DIR *d = opendir(real(path, &p));

	(void)offset;
	(void)fi;
	(void)flags;
	if (!d)
		return -errno;
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		if (fill(buf, e->d_name, NULL, 0, 0) != 0)
			break;
	closedir(d);
	return 0;
}

static int m_mkdir(const char *path, mode_t mode)
{
	struct path p;

	return done(mkdir(real(path, &p), mode));
}

static int m_unlink(const char *path)
{
	struct path p;

	return done(unlink(real(path, &p)));
}

static int m_rmdir(const char *path)
{
	struct path p;

	return done(rmdir(real(path, &p)));
}

static int m_rename(const char *from, const char *to, unsigned flags)
{
	struct path p, q;

	return flags ? -EINVAL : done(rename(real(from, &p), real(to, &q)));
}

static int m_link(const char *from, const char *to)
{
	struct path p, q;

	return done(link(real(from, &p), real(to, &q)));
}

static int m_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	struct path p;

	return done(fi ? ftruncate((int)fi->fh, size) : truncate(real(path, &p), size));
}

static int m_open(const char *path, struct fuse_file_info *fi)
{
	struct path p;
	int fd = open(real(path, &p), fi->flags & ~O_APPEND);

	fi->fh = (uint64_t)fd;
	return done(fd);
}

static int m_create(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	struct path p;
	int fd = open(real(path, &p), (fi->flags & ~O_APPEND) | O_CREAT, mode);

	fi->fh = (uint64_t)fd;
	return done(fd);
}

static int m_read(const char *path, char *buf, size_t size, off_t at, struct fuse_file_info *fi)
{
	ssize_t n = pread((int)fi->fh, buf, size, at);

	(void)path;
	return n < 0 ? -errno : (int)n;
}

static int m_write(const char *path, const char *buf, size_t size, off_t at,
                   struct fuse_file_info *fi)
{
	ssize_t n = pwrite((int)fi->fh, buf, size, at);

	(void)path;
	return n < 0 ? -errno : (int)n;
}

static int m_fsync(const char *path, int data_only, struct fuse_file_info *fi)
{
	(void)path;
	return done(data_only ? fdatasync((int)fi->fh) : fsync((int)fi->fh));
}

static int m_release(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	return done(close((int)fi->fh));
}

static int m_statfs(const char *path, struct statvfs *v)
{
	struct path p;

	return done(statvfs(real(path, &p), v));
}

static const struct fuse_operations operations = {
	.getattr = m_getattr,
	.readdir = m_readdir,
	.mkdir = m_mkdir,
	.unlink = m_unlink,
	.rmdir = m_rmdir,
	.rename = m_rename,
	.link = m_link,
	.truncate = m_truncate,
	.open = m_open,
	.create = m_create,
	.read = m_read,
	.write = m_write,
	.fsync = m_fsync,
	.release = m_release,
	.statfs = m_statfs,
};

int main(int argc, char **argv)
{
	char name[] = "mirrorfs", foreground[] = "-f", single[] = "-s";

	if (argc != 3) {
		fprintf(stderr, "usage: mirrorfs FOLDER MOUNTPOINT\n");
		return 64;
	}
	char *args[] = { name, foreground, single, argv[2], NULL };
	return fuse_main(4, args, &operations, argv[1]);
}

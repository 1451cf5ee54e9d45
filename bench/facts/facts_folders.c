/* The folders that people work in: what they lie on, whose they are, and do they answer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/env_parts.h"
#include "bench/facts/facts_parts.h"

enum { FOLDERS_MAX = 32, FOLDER_TEXT = 200 };
#define MOUNTS "mount table (/proc/self/mountinfo)"

/* A folder as it was asked for, and once the work is done what was found. */
struct folder {
	char path[FOLDER_TEXT];
	char *real; /* without links; NULL: it is not there */
	struct stat st;
	struct statvfs vfs;
	int failed, vfs_failed; /* errno values */
};

struct facts_looking {
	struct timespec deadline;
	char paths[FOLDERS_MAX][FOLDER_TEXT];
	struct facts_task *tasks[FOLDERS_MAX];
	size_t n;
};

static void look(void *data)
{
	struct folder *f = data;

	f->real = realpath(f->path, NULL);
	f->failed = f->real && stat(f->real, &f->st) == 0 ? 0 : errno;
	if (!f->failed)
		f->vfs_failed = statvfs(f->real, &f->vfs) == 0 ? 0 : errno;
}

static void free_folder(void *data)
{
	struct folder *f = data;

	free(f->real);
	free(f);
}

/* Only full paths name the same thing on every node. */
static void add(struct facts_looking *w, const char *path, size_t len)
{
	struct folder *f;

	if (*path != '/' || len >= FOLDER_TEXT || w->n == FOLDERS_MAX)
		return;
	/* cppcheck-suppress arrayIndexOutOfBoundsCond ; len is never beyond the text */
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (size_t i = 0; i < w->n; i++)
		if (strncmp(w->paths[i], path, len) == 0 && w->paths[i][len] == '\0')
			return;
	f = hb_alloc(sizeof(*f));
	memcpy(f->path, path, len);
	memcpy(w->paths[w->n], path, len);
	w->tasks[w->n++] = facts_task_start(look, free_folder, f);
}

static void add_variable(struct facts_looking *w, const char *name)
{
	const char *list = getenv(name);

	for (size_t len; list && *list; list += len + (list[len] == ':')) {
		len = strcspn(list, ":");
		add(w, list, len);
	}
}

struct facts_looking *facts_folders_begin(void)
{
	struct facts_looking *w = hb_alloc(sizeof(*w));
	char here[FOLDER_TEXT];

	w->deadline = facts_deadline(FACTS_PATIENCE_MS);
	add_variable(w, "HOME");
	if (getcwd(here, sizeof(here)))
		add(w, here, strlen(here));
	add(w, "/tmp", strlen("/tmp"));
	add(w, "/dev/shm", strlen("/dev/shm"));
	add_variable(w, "TMPDIR");
	add_variable(w, "HPCBENCH_FOLDERS");
	return w;
}

/* A line of the mount table. */
struct mount {
	char point[4 * FACTS_LINE], options[4 * FACTS_LINE], more[4 * FACTS_LINE];
	char type[FACTS_NAME], source[FACTS_LINE];
};

static bool parse_mount(const char *line, const char *end, struct mount *m)
{
	char word[4 * FACTS_LINE];
	const char *at = line;

	for (int i = 0; i < 4; i++)
		if (!facts_next_word(&at, end, word, sizeof(word)))
			return false;
	if (!facts_next_word(&at, end, m->point, sizeof(m->point)) ||
	    !facts_next_word(&at, end, m->options, sizeof(m->options)))
		return false;
	do {
		if (!facts_next_word(&at, end, word, sizeof(word)))
			return false;
	} while (strcmp(word, "-") != 0);
	return facts_next_word(&at, end, m->type, sizeof(m->type)) &&
	       facts_next_word(&at, end, m->source, sizeof(m->source)) &&
	       facts_next_word(&at, end, m->more, sizeof(m->more));
}

/* The mount that a path lies on: the longest that it begins with, the last of equal ones. */
static bool find_mount(const char *mounts, const char *path, struct mount *out)
{
	struct mount *m = hb_alloc(sizeof(*m));
	size_t len, best = 0;

	for (const char *line; (line = facts_next_line(&mounts, &len));) {
		size_t n;

		if (!parse_mount(line, line + len, m))
			continue;
		n = strcmp(m->point, "/") == 0 ? 0 : strlen(m->point);
		if (n + 1 < best || strncmp(path, m->point, n) != 0 ||
		    (path[n] != '/' && path[n] != '\0'))
			continue;
		best = n + 1;
		*out = *m;
	}
	free(m);
	return best > 0;
}

/* Addresses and numbers of this one mount, layers of a container, amounts told elsewhere. */
static bool is_own(const char *option)
{
	static const char *const own[] = { "addr",      "clientaddr", "mountaddr", "mountport",
		                           "port",      "lowerdir",   "upperdir",  "workdir",
		                           "fd",        "pgrp",       "pipe_ino",  "size",
		                           "nr_inodes", "subvolid",   "hash",      "fsid" };
	size_t len = strcspn(option, "=");

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (strlen(own[i]) == len && strncmp(own[i], option, len) == 0)
			return true;
	return facts_is_secret(option);
}

static void add_options(struct facts_set *set, const char *list)
{
	char option[FACTS_LINE];

	for (size_t len; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		snprintf(option, sizeof(option), "%.*s",
		         (int)(len < sizeof(option) ? len : sizeof(option) - 1), list);
		if (len > 0 && !is_own(option))
			facts_set_add(set, option);
	}
}

static void tell_mount(const struct fact_sink *s, const char *device, const char *path,
                       const char *mounts)
{
	struct mount *m = hb_alloc(sizeof(*m));
	struct facts_set options = { NULL, 0, 0 };
	struct buf text = BUF_INIT;

	if (find_mount(mounts, path, m)) {
		fact_tell(s, device, "fs.type", m->type, MOUNTS);
		fact_tell(s, device, "fs.source", m->source, MOUNTS);
		add_options(&options, m->options);
		add_options(&options, m->more);
		facts_set_put(&options, &text);
		fact_tell(s, device, "fs.options", buf_text(&text), MOUNTS);
	} else {
		fact_tell(s, device, "fs.type", NULL, MOUNTS ": no mount fits");
	}
	buf_free(&text);
	free(m);
}

static void tell_found(const struct fact_sink *s, const char *device, const struct folder *f)
{
	char text[FACTS_NAME];
	uint64_t unit = f->vfs.f_frsize;

	snprintf(text, sizeof(text), "%lu:%lu", (unsigned long)f->st.st_uid,
	         (unsigned long)f->st.st_gid);
	fact_tell(s, device, "fs.owner", text, "stat");
	snprintf(text, sizeof(text), "%lo", (unsigned long)f->st.st_mode & 07777);
	fact_tell(s, device, "fs.mode", text, "stat");
	if (f->vfs_failed) {
		fact_tell_errno(s, device, "fs.size_bytes", "statvfs", f->vfs_failed);
		return;
	}
	/* Disks of a kind differ by some blocks: as memory is rounded, so are they. */
	fact_tell_u64(s, device, "fs.size_bytes", env_round_memory(f->vfs.f_blocks * unit),
	              "statvfs, to the nearest sixteenth of a power of two");
	fact_tell_u64(s, device, "fs.free_bytes", f->vfs.f_bavail * unit, "statvfs");
}

void facts_folders_end(const struct fact_sink *s, struct facts_looking *w)
{
	struct buf mounts = BUF_INIT;

	facts_file("/proc/self/mountinfo", FACTS_LARGE, &mounts);
	for (size_t i = 0; i < w->n; i++) {
		const struct folder *f = facts_task_wait(w->tasks[i], &w->deadline);
		char device[FOLDER_TEXT + 8];

		snprintf(device, sizeof(device), "fs:%s", w->paths[i]);
		if (f && f->failed) {
			fact_tell_errno(s, device, "fs.type", "stat", f->failed);
			facts_task_drop(w->tasks[i]);
			continue;
		}
		facts_yesno(s, device, "fs.answers", f != NULL, "stat, within two seconds");
		tell_mount(s, device, f ? f->real : w->paths[i], buf_text(&mounts));
		if (f)
			tell_found(s, device, f);
		facts_task_drop(w->tasks[i]);
	}
	buf_free(&mounts);
	free(w);
}

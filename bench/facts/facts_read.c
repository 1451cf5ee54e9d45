/* Small files, whatever they are. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/mem.h"
#include "bench/core/env_parts.h"
#include "bench/facts/facts_parts.h"

enum { CHUNK = 16 * 1024 };

int facts_file(const char *path, size_t max, struct buf *out)
{
	char full[PATH_MAX], chunk[CHUNK];
	int fd, failed = 0;
	ssize_t n;

	if (!sys_path(path, full, sizeof(full)))
		return ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return errno;
	while (out->len < max) {
		size_t want = max - out->len < sizeof(chunk) ? max - out->len : sizeof(chunk);

		n = read(fd, chunk, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			failed = n < 0 ? errno : 0;
			break;
		}
		buf_add(out, chunk, (size_t)n);
	}
	close(fd);
	return failed;
}

static void copy_trimmed(const char *from, size_t len, char *out, size_t n)
{
	while (len > 0 && isspace((unsigned char)*from)) {
		from++;
		len--;
	}
	while (len > 0 && isspace((unsigned char)from[len - 1]))
		len--;
	snprintf(out, n, "%.*s", (int)(len < n ? len : n - 1), from);
}

int facts_line(const char *path, char *out, size_t n)
{
	struct buf text = BUF_INIT;
	int failed = facts_file(path, 4 * n, &text);

	*out = '\0';
	if (!failed)
		copy_trimmed(buf_text(&text), strcspn(buf_text(&text), "\n"), out, n);
	buf_free(&text);
	return failed;
}

int facts_u64(const char *path, uint64_t *out)
{
	char text[FACTS_LINE], *end;
	int failed = facts_line(path, text, sizeof(text));

	if (failed)
		return failed;
	if (!isdigit((unsigned char)text[0]))
		return EINVAL;
	errno = 0;
	*out = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
	return errno || (*end && !isspace((unsigned char)*end)) ? EINVAL : 0;
}

bool facts_exists(const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	return sys_path(path, full, sizeof(full)) && stat(full, &st) == 0;
}

int facts_link(const char *path, char *out, size_t n)
{
	errno = 0;
	if (sys_link_name(path, out, n))
		return *out ? 0 : EINVAL;
	return errno ? errno : EINVAL;
}

bool facts_begins(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (strncmp(text, *prefixes, strlen(*prefixes)) == 0)
			return true;
	return false;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(a, b);
}

void facts_names(const char *path, size_t max, struct facts_names *out)
{
	DIR *d = sys_dir(path);
	struct dirent *e;
	size_t cap = 0;

	*out = (struct facts_names){ NULL, 0 };
	while (d && out->n < max && (e = readdir(d))) {
		if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof(out->v[0]))
			continue;
		hb_grow(&out->v, &cap, out->n + 1, sizeof(out->v[0]));
		memcpy(out->v[out->n++], e->d_name, strlen(e->d_name) + 1);
	}
	if (d)
		closedir(d);
	if (out->n)
		qsort(out->v, out->n, sizeof(out->v[0]), compare_names);
}

void facts_names_free(struct facts_names *names)
{
	free(names->v);
	*names = (struct facts_names){ NULL, 0 };
}

long facts_numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	char *end;
	long v;

	if (strncmp(name, prefix, len) != 0 || !isdigit((unsigned char)name[len]))
		return -1;
	errno = 0;
	v = strtol(name + len, &end, 10);
	return *end || errno ? -1 : v;
}

uint64_t facts_list_count(const char *list)
{
	uint64_t n = 0;

	while (isdigit((unsigned char)*list)) {
		char *end;
		unsigned long long from = strtoull(list, &end, 10), to = from;

		if (*end == '-')
			to = strtoull(end + 1, &end, 10);
		if (to < from || to > UINT32_MAX)
			return 0;
		n += to - from + 1;
		list = *end == ',' ? end + 1 : end;
	}
	return *list && !isspace((unsigned char)*list) ? 0 : n;
}

const char *facts_next_line(const char **at, size_t *len)
{
	const char *line = *at;

	if (!*line)
		return NULL;
	*len = strcspn(line, "\n");
	*at = line + *len + (line[*len] == '\n');
	return line;
}

bool facts_next_word(const char **at, const char *end, char *out, size_t n)
{
	const char *from = *at;

	while (from < end && isspace((unsigned char)*from))
		from++;
	for (*at = from; *at < end && !isspace((unsigned char)**at);)
		(*at)++;
	copy_trimmed(from, (size_t)(*at - from), out, n);
	return *at > from;
}

bool facts_keyed(const char *text, const char *key, char *out, size_t n)
{
	size_t len, key_len = strlen(key);

	for (const char *line; (line = facts_next_line(&text, &len));) {
		const char *colon = memchr(line, ':', len);
		size_t left = colon ? (size_t)(colon - line) : 0;

		while (left > 0 && isspace((unsigned char)line[left - 1]))
			left--;
		if (!colon || left != key_len || memcmp(line, key, key_len) != 0)
			continue;
		copy_trimmed(colon + 1, len - (size_t)(colon + 1 - line), out, n);
		return true;
	}
	*out = '\0';
	return false;
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/core/control.h"
#include "files_fixture.h"

enum { FILE_MAX = 1 << 24 };

void files_env(struct files_folder *d, const char *name, const char *value)
{
	int i = 0;

	while (i < FILES_ENV && d->env[i])
		i++;
	assert_true(i < FILES_ENV);
	snprintf(d->text[i], sizeof(d->text[i]), "%s=%s", name, value);
	d->env[i] = d->text[i];
}

void files_open(struct files_folder *d, const char *hosts, int n_started)
{
	char count[16];

	*d = (struct files_folder){ .schedule = BUF_INIT };
	snprintf(d->path, sizeof(d->path), "/tmp/hpcbench-files-XXXXXX");
	assert_non_null(mkdtemp(d->path));
	buf_printf(&d->schedule, "{\"msg\":\"seats\",\"hosts\":[%s]}\n", hosts);
	snprintf(count, sizeof(count), "%d", n_started);
	files_env(d, CONTROL_ENV_FILES, d->path);
	files_env(d, CONTROL_ENV_RUN, "r1");
	files_env(d, CONTROL_ENV_STEP, "4");
	files_env(d, CONTROL_ENV_ATTEMPT, "2");
	files_env(d, CONTROL_ENV_RANKS, count);
}

void files_job(struct files_folder *d, const struct files_job *j)
{
	struct buf *s = &d->schedule;

	buf_printf(s,
	           "{\"msg\":\"job\",\"job\":%d,\"slot\":%d,\"phase\":\"main\",\"step\":4,"
	           "\"attempt\":2,\"bench\":\"%s\",\"ranks\":[%s],\"a\":\"%s\",",
	           j->job, j->slot, j->bench, j->ranks, j->a);
	if (j->b)
		buf_printf(s, "\"b\":\"%s\",\"dir\":\"ab\",", j->b);
	buf_printf(s,
	           "\"seed\":%d,\"precision\":0.05,\"max_time\":0.02,\"deadline\":50,%s"
	           "\"cases\":[{\"unit\":%d,\"bytes\":65536,\"opts\":{}}]}\n",
	           j->job, j->more ? j->more : "", 10 * j->job);
}

void files_ready(struct files_folder *d)
{
	char path[128];
	FILE *f;

	buf_puts(&d->schedule, "{\"msg\":\"quit\"}\n");
	snprintf(path, sizeof(path), "%s/schedule.jsonl", d->path);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(buf_text(&d->schedule), f) >= 0);
	assert_int_equal(fclose(f), 0);
}

void files_close(struct files_folder *d)
{
	DIR *dir = opendir(d->path);
	struct dirent *e;

	assert_non_null(dir);
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	assert_int_equal(rmdir(d->path), 0);
	buf_free(&d->schedule);
}

json_object *files_lines(const struct files_folder *d, int seat)
{
	json_object *lines;
	struct buf text = BUF_INIT;
	struct hb_err err = { HB_OK, "" };
	char path[128];

	snprintf(path, sizeof(path), "%s/rank-%d.jsonl", d->path, seat);
	if (buf_read_file(&text, path, FILE_MAX, &err) < 0)
		return NULL;
	lines = json_object_new_array();
	for (const char *at = buf_text(&text), *end; (end = strchr(at, '\n')); at = end + 1) {
		json_object *o = NULL;

		if (js_parse(at, (size_t)(end - at), path, &o, &err) < 0)
			fail_msg("%s", err.text);
		json_object_array_add(lines, o);
	}
	buf_free(&text);
	return lines;
}

const char *files_text(json_object *line, const char *key)
{
	json_object *v = NULL;

	if (!line || !json_object_object_get_ex(line, key, &v) || !v)
		return "";
	return json_object_get_string(v);
}

json_object *files_find(json_object *lines, const char *key, const char *value)
{
	for (size_t i = 0; lines && i < json_object_array_length(lines); i++) {
		json_object *o = json_object_array_get_idx(lines, i);

		if (strcmp(files_text(o, key), value) == 0)
			return o;
	}
	return NULL;
}

/* The member `what` of the first line of a kind that has this number. */
static const char *answer(json_object *lines, const char *const kind[2],
                          const char *const number[2], const char *what)
{
	for (size_t i = 0; lines && i < json_object_array_length(lines); i++) {
		json_object *o = json_object_array_get_idx(lines, i);

		if (strcmp(files_text(o, kind[0]), kind[1]) == 0 &&
		    strcmp(files_text(o, number[0]), number[1]) == 0)
			return files_text(o, what);
	}
	return "";
}

const char *files_end(json_object *lines, const char *unit)
{
	const char *const kind[] = { "type", "end" }, *const number[] = { "unit", unit };

	return answer(lines, kind, number, "status");
}

const char *files_done(json_object *lines, const char *job)
{
	const char *const kind[] = { "msg", "done" }, *const number[] = { "job", job };

	return answer(lines, kind, number, "status");
}

bool files_whole(json_object *lines)
{
	size_t n = lines ? json_object_array_length(lines) : 0;

	return n >= 2 &&
	       strcmp(files_text(json_object_array_get_idx(lines, 0), "msg"), "hello") == 0 &&
	       strcmp(files_text(json_object_array_get_idx(lines, n - 1), "msg"), "bye") == 0;
}

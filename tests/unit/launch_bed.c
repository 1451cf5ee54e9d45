#include "launch_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <signal.h>
#include <unistd.h>

#include "bench/base/mem.h"

static const char suite_text[] = "{\"schema\":1,\"name\":\"test\",\"rounds\":3,\"benches\":["
                                 "{\"bench\":\"mpi.latency\",\"options\":{\"sizes\":\"8,1Ki\"},"
                                 "\"max_time\":\"50ms\",\"deadline\":\"100ms\"}]}";

void must(int rc, const struct hb_err *err)
{
	if (rc != HB_OK)
		fail_msg("%s", err->text);
}

static void note(void *ctx, const char *level, const char *text)
{
	struct bed *b = ctx;

	buf_printf(&b->notes, "%s: %s\n", level, text);
}

static void progress(void *ctx, const struct launch_progress *p)
{
	struct bed *b = ctx;

	if (b->wait_progress && *p->what) {
		b->wait_progress = 0;
		raise(SIGINT); /* blocked: it arrives through the descriptor */
	}
}

void make_plan(struct bed *b, const char *nodes)
{
	struct nodeset set = { 0 };
	struct plan_params p = { .seed = 5, .rounds = 3 };
	json_object *o = NULL;
	struct hb_err err;

	must(js_parse(suite_text, strlen(suite_text), "test", &o, &err), &err);
	must(suite_from_json(o, "test", &b->suite, &err), &err);
	js_put(o);
	must(nodeset_parse(nodes, &set, &err), &err);
	must(plan_make(&b->suite, &set, "test", &p, &b->plan, &err), &err);
	b->plan.run = hb_strdup("test-run");
	nodeset_free(&set);
}

void bed_read(const struct bed *b, const char *name, struct buf *out)
{
	char path[128];
	struct hb_err err;

	snprintf(path, sizeof path, "%s/%s", b->dir, name);
	must(buf_read_file(out, path, 1 << 24, &err), &err);
}

static struct bed *run(const char *nodes, const struct launcher_ops *ops, const char *arg,
                       struct launch_params p, int wait_progress)
{
	struct bed *b = hb_alloc(sizeof *b);
	struct launch_result result = { 0 };
	struct hb_err err;

	snprintf(b->dir, sizeof b->dir, "/tmp/hpcbench-test-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	make_plan(b, nodes);
	b->wait_progress = wait_progress;
	struct launch_site site = { .ops = ops, .arg = arg, .signal_fd = -1 };
	p.run = "test-run";
	p.dir = b->dir;
	p.site = &site;
	p.plan = &b->plan;
	p.note = note;
	p.progress = progress;
	p.ctx = b;
	must(launch_open(&p, &b->l, &err), &err);
	must(launch_ready(b->l, &err), &err);
	must(launch_steps(b->l, 0, 1, &result, &err), &err);
	b->status = result.status;
	snprintf(b->reason, sizeof b->reason, "%s", result.reason ? result.reason : "");
	free(result.reason);
	must(launch_close(b->l, &err), &err);
	bed_read(b, "records.jsonl", &b->records);
	bed_read(b, "journal.jsonl", &b->journal);
	return b;
}

struct bed *run_on(const char *nodes, const struct launcher_ops *ops, const char *arg,
                   int signal_fd, int wait_progress)
{
	return run(nodes, ops, arg, (struct launch_params){ .signal_fd = signal_fd },
	           wait_progress);
}

struct bed *run_files(const char *nodes, const struct launcher_ops *ops, const char *arg)
{
	return run(nodes, ops, arg, (struct launch_params){ .signal_fd = -1, .files = true }, 0);
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	(void)flag;
	(void)at;
	return remove(path);
}

void bed_free(struct bed *b)
{
	nftw(b->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	plan_free(&b->plan);
	suite_free(&b->suite);
	buf_free(&b->records);
	buf_free(&b->journal);
	buf_free(&b->notes);
	free(b);
}

size_t count(const struct buf *file, const char *one, const char *two, const char *three)
{
	const char *at = buf_text(file);
	size_t n = 0;

	while (*at) {
		size_t len = strcspn(at, "\n");
		char *line = hb_strndup(at, len);
		n += (!one || strstr(line, one)) && (!two || strstr(line, two)) &&
		     (!three || strstr(line, three));
		free(line);
		at += len + (at[len] == '\n');
	}
	return n;
}

struct bed *run_sim(const struct launcher_ops *ops, const char *faults)
{
	return run_slowly(ops, faults, 0);
}

struct bed *run_slowly(const struct launcher_ops *ops, const char *faults, int delay_ms)
{
	char path[64] = "/tmp/hpcbench-model-XXXXXX", text[1024];
	int fd = mkstemp(path), len;
	struct bed *b;

	len = snprintf(text, sizeof text, "{\"schema\":1,\"delay_ms\":%d,\"faults\":[%s]}",
	               delay_ms, faults);
	assert_int_equal(write(fd, text, (size_t)len), len);
	close(fd);
	b = run_on("n[1-4]", ops, path, -1, 0);
	unlink(path);
	return b;
}

size_t ends(const struct bed *b, const char *status)
{
	char text[32];

	snprintf(text, sizeof text, "\"status\":\"%s\"", status);
	return count(&b->records, "\"type\":\"end\"", text, NULL);
}

void assert_all_ended(const struct bed *b)
{
	assert_int_equal(count(&b->records, "\"type\":\"end\"", NULL, NULL), UNITS);
	assert_int_equal(count(&b->journal, "\"type\":\"unit-end\"", NULL, NULL), UNITS);
	for (int u = 1; u <= UNITS; u++) {
		char unit[32];
		snprintf(unit, sizeof unit, "\"unit\":%d,", u);
		assert_int_equal(count(&b->records, "\"type\":\"end\"", unit, NULL), 1);
	}
}

int sim_plain(const struct launch_what *w, struct launch_command *c, struct hb_err *err)
{
	return launcher_sim.command(w, c, err);
}

int sim_together(const struct launch_what *w, struct launch_command *c, struct hb_err *err)
{
	int rc = launcher_sim.command(w, c, err);

	if (rc == HB_OK)
		launch_command_arg(c, "--die-together");
	return rc;
}

int sh_script(const struct launch_what *w, struct launch_command *c, struct hb_err *err)
{
	(void)err;
	launch_command_arg(c, "/bin/sh");
	launch_command_arg(c, "-c");
	launch_command_arg(c, "%s", w->site->arg);
	return HB_OK;
}

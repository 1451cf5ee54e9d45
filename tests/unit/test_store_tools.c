/* What store prune, verify, export and import stand on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/base/mem.h"
#include "harness/store/store_export.h"
#include "harness/store/store_prune.h"
#include "harness/store/store_tar.h"
#include "harness/store/store_verify_lines.h"

static char id[] = "20010101-010000-0001";

static void write_text(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* An empty folder with a store in it, which is then where we are. */
static struct store fresh_store(void)
{
	struct store s;
	struct hb_err err;
	char folder[] = "/tmp/hpcbench-test-XXXXXX";
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(store_open("store", true, &s, &err), HB_OK);
	return s;
}

static void drop_store(struct store *s)
{
	struct prune_params p = { .keep = 0, .keep_days = -1, .now = time(NULL) + 864000 };
	struct prune out;
	char *folder = getcwd(NULL, 0);
	assert_int_equal(store_prune(s, &p, &out, NULL), HB_OK);
	store_prune_free(&out);
	(void)rmdir("store/runs");
	(void)rmdir("store/baselines");
	(void)rmdir("store");
	assert_int_equal(chdir("/"), 0);
	(void)rmdir(folder);
	free(folder);
	store_close(s);
}

static void make_run(const char *name)
{
	char *dir = hb_format("store/runs/%s", name), *file = hb_format("%s/plan.json", dir);
	assert_int_equal(mkdir(dir, 0777), 0);
	write_text(file, "{}\n", 3);
	free(file);
	free(dir);
}

/* ---- archives ---- */

static void a_header_is_read_as_it_was_written(void **state)
{
	struct tar_entry e = { .kind = TAR_FILE, .size = 8589934591, .mtime = 978310800 }, back;
	char block[TAR_BLOCK];
	struct hb_err err;
	(void)state;
	memset(e.name, 'n', TAR_NAME_MAX);
	assert_int_equal(tar_write(&e, block, &err), HB_OK);
	assert_int_equal(tar_read(block, &back, &err), HB_OK);
	assert_string_equal(back.name, e.name);
	assert_int_equal(back.size, e.size);
	assert_int_equal(back.mtime, e.mtime);
	assert_int_equal(back.kind, TAR_FILE);
	e.size++;
	assert_int_equal(tar_write(&e, block, &err), HB_E_USAGE);
	memset(block, 0, sizeof block);
	assert_int_equal(tar_read(block, &back, &err), HB_OK);
	assert_int_equal(back.kind, TAR_END);
}

static void a_header_with_one_wrong_bit_is_refused(void **state)
{
	struct tar_entry e = { .name = "runs/x", .kind = TAR_FILE, .size = 5 }, back;
	char block[TAR_BLOCK];
	struct hb_err err;
	(void)state;
	assert_int_equal(tar_write(&e, block, &err), HB_OK);
	/* But for the sum's own field, where a space may stand for a zero. */
	for (int i = 0; i < TAR_BLOCK; i++)
		for (int bit = 0; bit < 8; bit++) {
			if (i >= 148 && i < 156)
				continue;
			block[i] = (char)(block[i] ^ (1 << bit));
			assert_int_equal(tar_read(block, &back, &err), HB_E_FORMAT);
			block[i] = (char)(block[i] ^ (1 << bit));
		}
	assert_int_equal(tar_read(block, &back, &err), HB_OK);
}

/* An archive of n files of this name, each of one byte. */
static void write_archive(const char *path, const char *name, int n)
{
	struct tar_entry e = { .kind = TAR_FILE, .size = 1 };
	struct buf b = BUF_INIT;
	char block[TAR_BLOCK];
	struct hb_err err;
	memcpy(e.name, name, strlen(name) + 1);
	for (int i = 0; i < n; i++) {
		assert_int_equal(tar_write(&e, block, &err), HB_OK);
		buf_add(&b, block, sizeof block);
		buf_pad(&b, 'x', TAR_BLOCK);
	}
	buf_pad(&b, '\0', (size_t)2 * TAR_BLOCK);
	write_text(path, b.data, b.len);
	buf_free(&b);
}

static void a_file_that_stands_twice_spoils_the_whole_archive(void **state)
{
	static const char *const names[] = { "runs/20010101-010000-0001/plan.json",
		                             "baselines/night.json" };
	struct store s = fresh_store();
	struct import got;
	struct hb_err err;
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		write_archive("x.tar", names[i], 2);
		assert_int_equal(store_import(&s, "x.tar", &got, &err), HB_E_FORMAT);
		assert_non_null(strstr(err.text, "twice"));
		store_import_free(&got);
		/* Both folders are empty again. */
		assert_int_equal(rmdir("store/runs"), 0);
		assert_int_equal(rmdir("store/baselines"), 0);
		store_close(&s);
		assert_int_equal(store_open("store", true, &s, &err), HB_OK);
	}
	write_archive("x.tar", names[0], 1);
	assert_int_equal(store_import(&s, "x.tar", &got, &err), HB_OK);
	assert_int_equal(got.n_runs, 1);
	assert_string_equal(got.runs[0], id);
	store_import_free(&got);
	assert_int_equal(unlink("x.tar"), 0);
	drop_store(&s);
}

static void ids_of_runs_have_one_form(void **state)
{
	static const char *const bad[] = { "",
		                           "20010101-010000-000",
		                           "20010101-010000-00001",
		                           "20010101-010000-000g",
		                           "20010101_010000-0001",
		                           "2001010a-010000-0001",
		                           "../../20010101-01000",
		                           "20010101-010000-0001/" };
	(void)state;
	assert_true(store_is_run_id(id));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(store_is_run_id(bad[i]));
}

/* ---- pruning ---- */

static void a_lock_keeps_a_run_and_its_samples(void **state)
{
	struct store s = fresh_store();
	struct prune_params p = { .keep = 0, .keep_days = -1, .now = time(NULL) + 864000 };
	struct prune out;
	(void)state;
	make_run(id);
	write_text("store/runs/20010101-010000-0001/samples.jsonl", "x", 1);
	write_text("store/runs/20010101-010000-0001/run.lock", "", 0);
	for (int only = 0; only < 2; only++) {
		p.samples_only = only;
		assert_int_equal(store_prune(&s, &p, &out, NULL), HB_OK);
		assert_int_equal(out.n, 1);
		assert_int_equal(out.v[0].fate, PRUNE_MEASURED);
		assert_int_equal(access("store/runs/20010101-010000-0001/samples.jsonl", F_OK), 0);
		store_prune_free(&out);
	}
	assert_int_equal(unlink("store/runs/20010101-010000-0001/run.lock"), 0);
	assert_int_equal(store_prune(&s, &p, &out, NULL), HB_OK);
	assert_int_equal(out.v[0].fate, PRUNE_GONE);
	assert_int_equal(out.v[0].bytes, 1);
	store_prune_free(&out);
	assert_int_not_equal(access("store/runs/20010101-010000-0001/samples.jsonl", F_OK), 0);
	assert_int_not_equal(access("store/runs/20010101-010000-0001/run.lock", F_OK), 0);
	assert_int_equal(access("store/runs/20010101-010000-0001/plan.json", F_OK), 0);
	drop_store(&s);
}

static void folders_in_a_run_go_down_to_a_depth(void **state)
{
	struct store s = fresh_store();
	struct prune_params p = { .keep = 0, .keep_days = -1, .now = time(NULL) + 864000 };
	struct prune out;
	char path[256] = "store/runs/20010101-010000-0001";
	(void)state;
	make_run(id);
	for (int i = 0; i < 6; i++) {
		size_t n = strlen(path);
		(void)snprintf(path + n, sizeof path - n, "/d");
		assert_int_equal(mkdir(path, 0777), 0);
	}
	assert_int_equal(store_prune(&s, &p, &out, NULL), HB_OK);
	assert_int_equal(out.v[0].fate, PRUNE_FAILED);
	assert_non_null(out.v[0].why);
	store_prune_free(&out);
	/* It no longer has the name of a run; what is less deep is gone by itself later. */
	assert_int_not_equal(access("store/runs/20010101-010000-0001", F_OK), 0);
	(void)snprintf(path, sizeof path, "store/runs/%s.pruned.tmp/d/d/d/d/d/d", id);
	assert_int_equal(rmdir(path), 0);
	path[strlen(path) - 2] = '\0';
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(store_prune(&s, &p, &out, NULL), HB_OK);
	assert_int_equal(out.n_left, 1);
	store_prune_free(&out);
	assert_int_equal(rmdir("store/runs"), 0);
	drop_store(&s);
}

static void runs_younger_than_the_days_stay_and_all_conditions_must_hold(void **state)
{
	struct store s = fresh_store();
	/* Noon of 10 January 2001. */
	struct prune_params p = { .keep = -1, .keep_days = 5, .now = 979128000 };
	struct prune out;
	(void)state;
	make_run("20010103-120000-0001");
	make_run("20010104-120000-0002");
	make_run("20010105-115959-0003");
	make_run("20010105-120001-0004");
	p.dry_run = true;
	assert_int_equal(store_prune(&s, &p, &out, NULL), HB_OK);
	assert_int_equal(out.n, 3);
	assert_string_equal(out.v[2].id, "20010105-115959-0003");
	store_prune_free(&out);
	p.keep = 3;
	assert_int_equal(store_prune(&s, &p, &out, NULL), HB_OK);
	assert_int_equal(out.n, 1);
	assert_int_equal(out.n_runs, 4);
	store_prune_free(&out);
	p.label = "night";
	assert_int_equal(store_prune(&s, &p, &out, NULL), HB_OK);
	assert_int_equal(out.n, 0);
	store_prune_free(&out);
	drop_store(&s);
}

/* ---- lines ---- */

struct taken {
	char text[256];
};

static void take(void *ctx, const struct line *l)
{
	struct taken *t = ctx;
	size_t n = strlen(t->text);
	(void)snprintf(t->text + n, sizeof t->text - n, "%llu:%.*s%s;",
	               (unsigned long long)l->number, (int)(l->len < 5 ? l->len : 5),
	               l->text ? l->text : "", line_wrong(l) ? "!" : "");
}

static void lines_are_given_whatever_they_hold(void **state)
{
	struct taken t = { "" };
	struct buf b = BUF_INIT;
	struct hb_err err;
	bool missing = true;
	char path[] = "/tmp/hpcbench-test-XXXXXX";
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	close(fd);
	buf_puts(&b, "one\n\n");
	buf_pad(&b, 'a', JS_LINE_MAX + 1);
	buf_puts(&b, "\ntwo\n");
	buf_pad(&b, 'b', 300000);
	buf_puts(&b, "\ncut");
	write_text(path, b.data, b.len);
	assert_int_equal(verify_lines(path, take, &t, &missing, &err), HB_OK);
	assert_false(missing);
	assert_string_equal(t.text, "1:one;2:;3:!;4:two;5:!;6:cut!;");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(verify_lines(path, take, &t, &missing, &err), HB_OK);
	assert_true(missing);
	assert_int_equal(verify_lines(path, take, &t, NULL, &err), HB_E_IO);
	assert_int_equal(verify_lines("/tmp", take, &t, NULL, &err), HB_E_IO);
	buf_free(&b);
}

static void an_id_is_new_once(void **state)
{
	struct id_set s = { 0 };
	(void)state;
	for (uint64_t i = 0; i < 50000; i++)
		assert_true(id_set_add(&s, id_hash(0, &i, sizeof i)));
	for (uint64_t i = 0; i < 50000; i++)
		assert_false(id_set_add(&s, id_hash(0, &i, sizeof i)));
	assert_true(id_set_add(&s, 0));
	assert_false(id_set_add(&s, 0));
	id_set_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_is_read_as_it_was_written),
		cmocka_unit_test(a_header_with_one_wrong_bit_is_refused),
		cmocka_unit_test(a_file_that_stands_twice_spoils_the_whole_archive),
		cmocka_unit_test(ids_of_runs_have_one_form),
		cmocka_unit_test(a_lock_keeps_a_run_and_its_samples),
		cmocka_unit_test(folders_in_a_run_go_down_to_a_depth),
		cmocka_unit_test(runs_younger_than_the_days_stay_and_all_conditions_must_hold),
		cmocka_unit_test(lines_are_given_whatever_they_hold),
		cmocka_unit_test(an_id_is_new_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Host files of mpirun and batch systems: what is read from them, what is refused, and noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "bench/base/buf.h"
#include "harness/launch/launch_mpirun.h"

static int parse(const char *text, struct nodeset *out, struct hb_err *err)
{
	return mpirun_hosts_parse(text, strlen(text), "hosts.txt", out, err);
}

static void host_files_of_three_kinds_are_read(void **state)
{
	static const struct {
		const char *text, *nodes;
	} rows[] = {
		{ "n1\nn2\n", "n[1-2]" },
		{ "n2\nn2\nn2\nn1\nn1\nn2\n", "n[2,1]" }, /* PBS: once a slot */
		{ "n1 slots=4\nn2 slots=4 max_slots=8\n", "n[1-2]" },
		{ "n1 slots = 4\n", "n1" },
		{ "n1:4\nn2:2 binding=user:4,5\n", "n[1-2]" },
		{ "# a comment\n\n  n1   # the first\r\n\tn2\t\r\n#n3\n", "n[1-2]" },
		{ "a.b.c\n10.0.0.1", "a.b.c,10.0.0.1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct nodeset got = { 0 };
		struct buf text = BUF_INIT;
		struct hb_err err = { HB_OK, "" };
		if (parse(rows[i].text, &got, &err) != HB_OK)
			fail_msg("%s: %s", rows[i].text, err.text);
		nodeset_format(&got, &text);
		struct nodeset want = { 0 };
		struct buf wanted = BUF_INIT;
		assert_int_equal(nodeset_parse(rows[i].nodes, &want, &err), HB_OK);
		nodeset_format(&want, &wanted);
		assert_string_equal(buf_text(&text), buf_text(&wanted));
		buf_free(&text);
		buf_free(&wanted);
		nodeset_free(&got);
		nodeset_free(&want);
	}
}

static void a_bad_line_is_told_with_its_number(void **state)
{
	static const struct {
		const char *text, *told;
	} rows[] = {
		{ "", "no host" },
		{ "\n# nothing\n\n", "no host" },
		{ "n1\n-x\n", "line 2: '-x'" },
		{ ".hidden", "line 1" },
		{ "n1\n\nn2 n3\n", "line 3: 'n2 n3'" },
		{ "n1:\n", "line 1" },
		{ "n1:x\n", "line 1" },
		{ "n1:4x\n", "line 1" },
		{ "n1 $(reboot)=1\n", "line 1" },
		{ "n1;reboot\n", "line 1" },
		{ "n1\033[31m\n", "line 1: 'n1?[31m'" },
		{ "\xff\xfe\n", "line 1: '?"
		                "?'" },
		{ "--host\n", "line 1" },
		{ ":4\n", "line 1" },
		{ "n[1-4]\n", "line 1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct nodeset got = { 0 };
		struct hb_err err = { HB_OK, "" };
		assert_int_equal(parse(rows[i].text, &got, &err), HB_E_FORMAT);
		if (!strstr(err.text, rows[i].told) || !strstr(err.text, "hosts.txt"))
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_null(got.v);
	}
	static const char zero[] = "n1\n\0n2\n";
	struct nodeset got = { 0 };
	struct hb_err err;
	assert_int_equal(mpirun_hosts_parse(zero, sizeof zero - 1, "f", &got, &err), HB_E_FORMAT);
}

/* Whatever is in the file: an answer or an error, and no name that is none. */
static void noise_never_becomes_a_strange_name(void **state)
{
	static const char alphabet[] = "n19.-_:=# \t\r\n\n\nslots/,\x01\xff";
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[64];
		size_t len = 0;
		struct nodeset got = { 0 };
		struct hb_err err;
		for (; len < sizeof text; len++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			text[len] = alphabet[(seed >> 33) % sizeof alphabet];
		}
		if (mpirun_hosts_parse(text, len, "f", &got, &err) != HB_OK)
			continue;
		assert_true(got.n > 0);
		for (size_t i = 0; i < got.n; i++) {
			assert_true(strspn(got.v[i], "n19.-_slot") == strlen(got.v[i]));
			assert_null(strchr("-.", got.v[i][0]));
		}
		nodeset_free(&got);
	}
}

static void a_long_file_of_repeated_slots_is_no_trouble(void **state)
{
	struct buf text = BUF_INIT;
	struct nodeset got = { 0 };
	struct hb_err err = { HB_OK, "" };

	(void)state;
	for (int slot = 0; slot < 200; slot++)
		for (int i = 0; i < 1000; i++)
			buf_printf(&text, "node%d\n", i);
	assert_int_equal(mpirun_hosts_parse(buf_text(&text), text.len, "f", &got, &err), HB_OK);
	assert_int_equal(got.n, 1000);
	assert_string_equal(got.v[999], "node999");
	nodeset_free(&got);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_files_of_three_kinds_are_read),
		cmocka_unit_test(a_bad_line_is_told_with_its_number),
		cmocka_unit_test(noise_never_becomes_a_strange_name),
		cmocka_unit_test(a_long_file_of_repeated_slots_is_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

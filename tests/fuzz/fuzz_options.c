/* Command lines: the first line names the command, the others are its words. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd.h"
#include "tests/fuzz/fuzz.h"

enum { WORDS_MAX = 64 };

static void check_table(const struct opt *opts, size_t opts_size, int argc, char **argv)
{
	struct hb_err err = { HB_OK, "" };
	void *values = hb_alloc(opts_size + 1), *copy = hb_alloc(opts_size + 1);
	const char *words[WORDS_MAX + 1];
	int n = argc;

	for (int i = 0; i <= argc; i++)
		words[i] = argv[i];
	opt_defaults(opts, values);
	if (fuzz_ok(opt_parse(opts, values, &n, words, NULL, &err), &err)) {
		FUZZ_CHECK(n >= 1 && n <= argc);
		opt_copy(opts, values, copy);
		fuzz_check_same(opt_to_json(opts, values, 0), opt_to_json(opts, copy, 0));
		opt_free(opts, copy);
	}
	opt_free(opts, values);
	free(values);
	free(copy);
}

void fuzz_one(const char *data, size_t size)
{
	struct fuzz_part all = { data, size }, line;
	const struct command *c;
	char *argv[WORDS_MAX + 1] = { NULL };
	int argc = 0;

	while (argc < WORDS_MAX && fuzz_next_line(&all, &line))
		argv[argc++] = fuzz_text(line.text, line.len);
	if (argc > 0) {
		c = cmd_find(argv[0]);
		if (c && c->opts)
			check_table(c->opts, c->opts_size, argc, argv);
		else
			check_table(common_opts, sizeof(struct common), argc, argv);
	}
	while (argc > 0)
		free(argv[--argc]);
}

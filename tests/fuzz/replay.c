/* Runs a target over stored inputs, files or folders of them, without a fuzzer. */
#include <dirent.h>
#include <sys/stat.h>

#include "bench/base/mem.h"
#include "tests/fuzz/fuzz.h"

static size_t inputs;

static void run_file(const char *path)
{
	struct buf in = BUF_INIT;
	struct hb_err err = { HB_OK, "" };

	/* The last line of a failing test names the input. */
	printf("%s\n", path);
	(void)fflush(stdout);
	if (buf_read_file(&in, path, FUZZ_INPUT_MAX, &err) != HB_OK)
		fuzz_broken(path, 0, err.text);
	LLVMFuzzerTestOneInput((const uint8_t *)buf_text(&in), in.len);
	buf_free(&in);
	inputs++;
}

static void run_path(const char *path)
{
	struct dirent **names;
	struct stat st;
	int n;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
		run_file(path);
		return;
	}
	n = scandir(path, &names, NULL, alphasort);
	FUZZ_CHECK(n >= 0);
	for (int i = 0; i < n; i++) {
		char *file = hb_format("%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			run_file(file);
		free(file);
		free(names[i]);
	}
	free(names);
}

int main(int argc, char **argv)
{
	LLVMFuzzerInitialize(&argc, &argv);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	printf("%zu inputs\n", inputs);
	/* A target without a corpus would be a test that cannot fail. */
	return inputs > 0 ? 0 : 1;
}

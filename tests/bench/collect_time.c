/* bench-collect DIR: collects a run once and prints seconds, peak MiB, rows. */
#include <stdio.h>
#include <sys/resource.h>

#include "bench/core/clock.h"
#include "harness/collect.h"

int main(int argc, char **argv)
{
	struct hb_err err = { HB_OK, "" };
	struct summary s;
	struct rusage use;
	if (argc != 2) {
		fprintf(stderr, "usage: bench-collect DIR\n");
		return 64;
	}
	uint64_t start = clock_ns();
	if (collect_run(argv[1], &s, &err) != HB_OK) {
		fprintf(stderr, "bench-collect: %s\n", err.text);
		return 1;
	}
	double collect_s = (double)(clock_ns() - start) * 1e-9;
	start = clock_ns();
	if (summary_write(argv[1], &s, &err) != HB_OK) {
		fprintf(stderr, "bench-collect: %s\n", err.text);
		return 1;
	}
	double write_s = (double)(clock_ns() - start) * 1e-9;
	getrusage(RUSAGE_SELF, &use);
	printf("%.4f %.4f %.1f %zu %zu\n", collect_s, write_s, (double)use.ru_maxrss / 1024,
	       s.n_rows, s.n_losses);
	summary_free(&s);
	return 0;
}

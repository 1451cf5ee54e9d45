/* Which nodes of a partition are idle: sinfo's answer, one line a partition. */
#include <string.h>
#include <sys/wait.h>

#include "bench/base/mem.h"
#include "harness/slurm/slurm_parts.h"

/* Is it the partition that is wanted, or with NULL the default one, which bears a star? */
static bool is_wanted(const char *name, size_t len, const char *partition)
{
	bool star = len > 0 && name[len - 1] == '*';

	len -= star;
	if (!partition)
		return star;
	return strlen(partition) == len && memcmp(name, partition, len) == 0;
}

int slurm_idle_parse(const char *text, const char *partition, struct nodeset *out,
                     struct hb_err *err)
{
	const char *line;
	size_t len;

	*out = (struct nodeset){ 0 };
	while (slurm_line(&text, &line, &len)) {
		const char *bar = memchr(line, '|', len);
		if (!bar || !is_wanted(line, (size_t)(bar - line), partition))
			continue;
		/* One state is asked for, so a partition is one line; without idle nodes it is "".
		 */
		char *names = hb_strndup(bar + 1, len - (size_t)(bar + 1 - line));
		int rc = *names ? nodeset_parse(names, out, err) : HB_OK;
		free(names);
		return rc == HB_OK ? rc : hb_fail_in(err, "sinfo");
	}
	return HB_OK;
}

int slurm_idle(const char *partition, int signal_fd, struct nodeset *out, struct hb_err *err)
{
	static const char *const argv[] = { "sinfo", "--noheader", "--states=idle",
		                            "--format=%P|%N", NULL };
	struct slurm_answer a;
	int rc = slurm_ask(argv, SLURM_ASK_MS, signal_fd, &a, err);

	if (rc != HB_OK)
		return rc;
	if (!WIFEXITED(a.status) || WEXITSTATUS(a.status) != 0) {
		char words[SLURM_TEXT_MAX], status[64];
		spawn_status_text(a.status, status, sizeof status);
		slurm_clean(a.err, strlen(a.err), words, sizeof words);
		rc = hb_fail(err, HB_E_LIB, "sinfo: %s (%s)", words[0] ? words : "it failed",
		             status);
	} else {
		rc = slurm_idle_parse(a.out, partition, out, err);
	}
	slurm_answer_free(&a);
	return rc;
}

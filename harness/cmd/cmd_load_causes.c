/* Why somebody is slow in a stored run, for the commands that show and judge it. */
#include "bench/base/mem.h"
#include "harness/cmd/cmd_load.h"

int load_causes(const char *command, const struct common *common, const char *site,
                struct diagnose_data *out)
{
	struct hb_err err;

	if (diagnose_data_load(site, out, &err) != HB_OK)
		return cmd_error_text(command, CODE_USAGE, "%s", err.text);
	if (out->warning && !common->quiet)
		(void)cmd_error_text(command, CODE_OK, "%s", out->warning);
	return CODE_OK;
}

/* What the run found out when it was measured. */
static bool stored_causes(const char *dir, const struct run_blame *blame,
                          const struct diagnose_input *with, struct run_diagnosis *out)
{
	char *path = hb_format("%s/findings.json", dir);
	json_object *o = NULL, *causes = NULL;
	bool there = js_read_file(path, FINDINGS_FILE_MAX, &o, NULL) == HB_OK &&
	             json_object_object_get_ex(o, "causes", &causes) &&
	             diagnosis_from_json(o, path, &out->d, NULL) == HB_OK;

	out->known = there;
	if (there && with->acks && blame->told)
		diagnosis_mark(with->acks, &blame->told->facts, &out->d);
	js_put(o);
	free(path);
	return there;
}

void load_diagnosis(const struct diagnose_data *data, const char *dir,
                    const struct run_blame *blame, const struct diagnose_input *with,
                    struct run_diagnosis *out)
{
	struct diagnose_input in = *with;

	*out = (struct run_diagnosis){ 0 };
	if (!blame->known || (blame->stored && stored_causes(dir, blame, with, out)))
		return;
	in.told = blame->told;
	in.findings = &blame->f;
	run_diagnosis_make(data, &in, out);
}

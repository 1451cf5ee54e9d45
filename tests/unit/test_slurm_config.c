/* The cluster's configuration and MPI types, as Slurm's commands print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "bench/base/buf.h"
#include "harness/slurm/slurm.h"

static void the_configuration_is_read(void **state)
{
	struct slurm_config c;
	struct hb_err err;

	(void)state;
	assert_int_equal(slurm_config_parse("Configuration data as of 2026-11-30T04:49:03\n"
	                                    "AccountingStorageBackupHost = (null)\n"
	                                    "ClusterName             = bed\n"
	                                    "CompleteWait            = 0 sec\n"
	                                    "MpiDefault              = none\n"
	                                    "MpiParams               = (null)\n"
	                                    "SLURM_CONF              = /mnt/etc/slurm.conf\n"
	                                    "SLURM_VERSION           = 22.05.8\n"
	                                    "SrunPortRange           = 0-0\n"
	                                    "\nSlurmctld(primary) at controller is UP\n",
	                                    &c, &err),
	                 HB_OK);
	assert_string_equal(c.cluster, "bed");
	assert_string_equal(c.version, "22.05.8");
	assert_string_equal(c.mpi_default, "none");
	assert_int_equal(c.port_lo, 0);
	assert_int_equal(c.port_hi, 0);
}

static void port_ranges_are_believed_only_if_they_can_be(void **state)
{
	static const struct {
		const char *text;
		int lo, hi;
	} rows[] = {
		{ "60001-63000", 60001, 63000 },
		{ "5000-5000", 5000, 5000 },
		{ "0-0", 0, 0 },
		{ "(null)", 0, 0 },
		{ "63000-60001", 0, 0 },
		{ "1-65536", 0, 0 },
		{ "-5-7", 0, 0 },
		{ "60001", 0, 0 },
		{ "1-2x", 0, 0 },
		{ "99999999999999999999-99999999999999999999", 0, 0 },
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct slurm_config c;
		snprintf(text, sizeof text, "SLURM_VERSION = 23.11.4\nSrunPortRange = %s\n",
		         rows[i].text);
		assert_int_equal(slurm_config_parse(text, &c, NULL), HB_OK);
		assert_int_equal(c.port_lo, rows[i].lo);
		assert_int_equal(c.port_hi, rows[i].hi);
	}
}

static void what_is_no_configuration_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"=",
		"= = =\n",
		"SLURM_VERSION",
		"SLURM_VERSION =",
		"SLURM_VERSION = (null)",
		"slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)\n",
		"XSLURM_VERSION = 1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct slurm_config c;
		struct hb_err err;
		assert_int_equal(slurm_config_parse(texts[i], &c, &err), HB_E_FORMAT);
		assert_non_null(strstr(err.text, "SLURM_VERSION"));
	}
}

static void hostile_configurations_come_out_clean(void **state)
{
	struct buf b = BUF_INIT;
	struct slurm_config c;

	(void)state;
	buf_puts(&b, "SLURM_VERSION=22\t\033[2J\xff\r\nClusterName = ");
	buf_pad(&b, 'c', 1 << 20);
	buf_puts(&b, "\n");
	while (b.len < 2 << 20)
		buf_puts(&b, "a=b=\xc3==");
	assert_int_equal(slurm_config_parse(buf_text(&b), &c, NULL), HB_OK);
	assert_string_equal(c.version, "22  [2J?");
	assert_int_equal(strlen(c.cluster), SLURM_WORD_MAX - 1);
	buf_free(&b);
}

static void check_types(const char *text, const char *want)
{
	struct buf b = BUF_INIT;
	struct slurm_types t;

	slurm_mpi_types_parse(text, &t);
	for (size_t i = 0; i < t.n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", t.v[i]);
	assert_string_equal(buf_text(&b), want);
	buf_free(&b);
}

static void mpi_types_of_both_forms_are_read(void **state)
{
	(void)state;
	check_types("MPI plugin types are...\n\tpmix\n\tnone\n\tcray_shasta\n\tpmi2\n"
	            "specific pmix plugin versions available: pmix_v4\n",
	            "pmix none cray_shasta pmi2 pmix_v4");
	check_types("srun: MPI types are...\nsrun: pmix_v3\nsrun: pmi2\nsrun: none\nsrun: pmix\n",
	            "pmix_v3 pmi2 none pmix");
	check_types("MPI plugin types are...\n\tpmix\n"
	            "specific pmix plugin versions available: pmix_v2,pmix_v3, pmix_v4",
	            "pmix pmix_v2 pmix_v3 pmix_v4");
	check_types("\tpmix\r\n\tpmix\n\n", "pmix");
	check_types("", "");
	check_types("srun: error: Unable to contact slurm controller\n", "");
	check_types("\t--help\n\tPMIX\n\ta;b\n\tx=y\n", "");
}

static void too_many_and_too_long_types_are_left_out(void **state)
{
	struct buf b = BUF_INIT;
	struct slurm_types t;

	(void)state;
	buf_putc(&b, '\t');
	buf_pad(&b, 'a', 1 << 20);
	for (int i = 0; i < 100; i++)
		buf_printf(&b, "\n\tt%d", i);
	slurm_mpi_types_parse(buf_text(&b), &t);
	assert_int_equal(t.n, SLURM_TYPES_MAX);
	assert_string_equal(t.v[0], "t0");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_configuration_is_read),
		cmocka_unit_test(port_ranges_are_believed_only_if_they_can_be),
		cmocka_unit_test(what_is_no_configuration_is_refused),
		cmocka_unit_test(hostile_configurations_come_out_clean),
		cmocka_unit_test(mpi_types_of_both_forms_are_read),
		cmocka_unit_test(too_many_and_too_long_types_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The first message of whoever connects: only names and numbers in range get through. */
#include "harness/control/control.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const char *data, size_t size)
{
	static const struct ctl_world world = { "0123456789abcdef0123456789abcdef", 1, 2, 4 };
	struct hb_err err = { HB_OK, "" };
	struct ctl_hello hello;
	bool wrong_world = false;
	json_object *o = fuzz_object(data, size);

	if (!o)
		return;
	if (fuzz_ok(ctl_check_hello(o, &world, &hello, &wrong_world, &err), &err)) {
		FUZZ_CHECK(hello.rank >= 0 && hello.rank < world.n_ranks && hello.size == 4);
		FUZZ_CHECK(hello.host && hello.helper && !wrong_world);
		fuzz_check_clean(hello.host, strlen(hello.host), false);
		fuzz_check_clean(hello.helper, strlen(hello.helper), false);
	}
	js_put(o);
}

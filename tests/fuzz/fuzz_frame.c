/* Frames: how the bytes are cut does not matter, and frames put together again are the bytes. */
#include "bench/base/frame.h"
#include "tests/fuzz/fuzz.h"

/* All frames of the input, fed piece by piece, put together again; returns how it ended. */
static int read_all(const char *data, size_t size, size_t piece, struct buf *out)
{
	struct frame_reader r = FRAME_READER_INIT;
	struct hb_err err = { HB_OK, "" };
	const char *payload;
	size_t len;
	int rc = 0;

	for (size_t at = 0; at < size && rc == 0; at += piece) {
		frame_feed(&r, data + at, size - at < piece ? size - at : piece);
		while ((rc = frame_next(&r, &payload, &len, &err)) == 1) {
			json_object *o = fuzz_object(payload, len);
			js_put(o);
			FUZZ_CHECK(frame_put(out, payload, len, &err) == HB_OK);
		}
		FUZZ_CHECK(rc == 0 || !fuzz_ok(rc, &err));
	}
	frame_reader_free(&r);
	return rc;
}

void fuzz_one(const char *data, size_t size)
{
	struct buf whole = BUF_INIT, cut = BUF_INIT;
	int rc = read_all(data, size, size ? size : 1, &whole);

	FUZZ_CHECK(whole.len <= size && memcmp(buf_text(&whole), data, whole.len) == 0);
	for (size_t piece = 1; piece <= 5; piece += 4) {
		buf_clear(&cut);
		FUZZ_CHECK(read_all(data, size, piece, &cut) == rc);
		FUZZ_CHECK(cut.len == whole.len &&
		           memcmp(buf_text(&cut), buf_text(&whole), cut.len) == 0);
	}
	buf_free(&whole);
	buf_free(&cut);
}

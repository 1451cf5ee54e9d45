/*
 * Frames of the control channel: a 4-byte big-endian length, then that many bytes of one JSON
 * object, at most FRAME_MAX. The reader takes bytes as they come and gives whole frames.
 */
#ifndef HPCBENCH_BASE_FRAME_H
#define HPCBENCH_BASE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "bench/base/buf.h"
#include "bench/base/json.h"

enum { FRAME_MAX = 64 * 1024, FRAME_HEAD = 4, FRAME_PROTO = 1 };

/* Appends one frame. HB_E_FORMAT if payload is empty or longer than FRAME_MAX. */
int frame_put(struct buf *out, const char *payload, size_t len, struct hb_err *err);
/* Same for an object, written plainly; the object stays the caller's. */
int frame_put_json(struct buf *out, json_object *o, struct hb_err *err);

struct frame_reader {
	struct buf in;
	size_t taken; /* bytes of in already given out */
};
#define FRAME_READER_INIT                                                                          \
	{                                                                                          \
		BUF_INIT, 0                                                                        \
	}

void frame_feed(struct frame_reader *r, const void *data, size_t len);
/*
 * Takes the next whole frame: 1 and *payload (valid until the next call; not terminated), 0 when
 * more bytes are needed, HB_E_FORMAT when the length is 0 or above FRAME_MAX (close then).
 */
int frame_next(struct frame_reader *r, const char **payload, size_t *len, struct hb_err *err);
void frame_reader_free(struct frame_reader *r);

/*
 * Blocking input and output with a deadline in milliseconds (-1: none), for the helper's side.
 * frame_recv parses the payload, which must be an object; *out is the caller's. End of stream is
 * HB_E_IO "closed". fd is a socket. After any error the stream is of no more use, but for
 * HB_E_TIMEOUT of frame_recv: what had come by then is kept in r, and it may be called again.
 */
int frame_send(int fd, json_object *o, int timeout_ms, struct hb_err *err);
int frame_recv(int fd, struct frame_reader *r, int timeout_ms, json_object **out,
               struct hb_err *err);

#endif

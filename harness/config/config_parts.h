/* What the files of the configuration share. Nobody else includes this. */
#ifndef HPCBENCH_HARNESS_CONFIG_PARTS_H
#define HPCBENCH_HARNESS_CONFIG_PARTS_H

#include "bench/base/buf.h"
#include "harness/config/config.h"

/*
 * Reads one file: *found tells whether there is one. user: with its deadline, and HB_E_TIMEOUT
 * when that has passed. Errors name the path.
 */
int config_file_read(const char *path, bool user, bool *found, struct buf *out, struct hb_err *err);

/*
 * Sets row from a member of a file, over dst; null is the default. A list adds to what is there. A
 * number may stand where the command line wants text.
 */
int config_value(const struct opt *row, json_object *value, const struct js_at *at, void *dst,
                 struct hb_err *err);

/* Reads `profiles`, an array; the caller frees what is in *out also after an error. */
int config_read_profiles(json_object *list, const struct js_at *at, struct config_layer *out,
                         struct hb_err *err);

/* Bytes of a struct that has all values of a table. */
size_t config_values_size(const struct opt *opts);

#endif

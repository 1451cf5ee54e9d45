/* What the readers of the cluster model's file share. */
#ifndef HPCBENCH_SIM_MODEL_PARTS_H
#define HPCBENCH_SIM_MODEL_PARTS_H

#include "bench/sim/model.h"

/* Optional, from 0 to max; *out stays where it is absent. */
int sim_get_ratio(json_object *o, const struct js_at *at, const char *key, double max, double *out,
                  struct hb_err *err);
/* Required, above 0. */
int sim_get_positive(json_object *o, const struct js_at *at, const char *key, double *out,
                     struct hb_err *err);
/* An optional name of 1 to 255 bytes; replaces *out, which is owned. */
int sim_read_name(json_object *o, const struct js_at *at, const char *key, char **out,
                  struct hb_err *err);
/* Members `leaves` and `faults` of the model. Faults come last: they name leaves and rails. */
int sim_read_leaves(json_object *o, const struct js_at *top, struct sim_model *m,
                    struct hb_err *err);
int sim_read_faults(json_object *o, const struct js_at *top, struct sim_model *m,
                    struct hb_err *err);
/* Members `facts` and `counters`. */
int sim_read_told(json_object *o, const struct js_at *top, struct sim_model *m, struct hb_err *err);
void sim_told_free(struct sim_told_list *list);

#endif

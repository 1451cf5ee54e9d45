/* Node sets, under the name by which the harness knows them. */
#ifndef HPCBENCH_HARNESS_NODESET_H
#define HPCBENCH_HARNESS_NODESET_H

#include "bench/base/nodeset.h"

#endif

/* Between the two files about GPUs. */
#ifndef HPCBENCH_FACTS_GPU_H
#define HPCBENCH_FACTS_GPU_H

#include "bench/facts/facts_parts.h"

enum { GPUS_MAX = 64 };

/* GPUs of the vendor whose library can be asked: "gpu0" and its PCI address. */
struct gpu {
	char name[FACTS_NAME], pci[FACTS_NAME];
};

/* Asks the library; tells why where it cannot. At least one GPU. */
void facts_nvml(const struct fact_sink *s, const struct gpu *gpus, size_t n);

#endif

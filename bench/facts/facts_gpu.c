/* GPUs, as PCI devices; their driver's library is asked for the rest. */
#include "bench/facts/facts_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "bench/core/env_parts.h"

#define DEVICES "/sys/bus/pci/devices"
enum { PCI_MAX = 8192, NVIDIA = 0x10de };

static uint64_t number_of(const char *pci, const char *what)
{
	char path[FACTS_PATH];
	uint64_t v = 0;

	snprintf(path, sizeof(path), DEVICES "/%s/%s", pci, what);
	return facts_u64(path, &v) == 0 && v <= UINT32_MAX ? v : 0;
}

/* What the driver's folder in /proc says; else the numbers of vendor and device. */
static void tell_model(const struct fact_sink *s, const struct gpu *g)
{
	char path[FACTS_PATH], model[FACTS_LINE];
	struct buf text = BUF_INIT;

	snprintf(path, sizeof(path), "/proc/driver/nvidia/gpus/%s/information", g->pci);
	facts_file(path, FACTS_SMALL, &text);
	if (!facts_keyed(buf_text(&text), "Model", model, sizeof(model)) || !*model) {
		snprintf(model, sizeof(model), "%04lx:%04lx",
		         (unsigned long)number_of(g->pci, "vendor"),
		         (unsigned long)number_of(g->pci, "device"));
		snprintf(path, sizeof(path), DEVICES "/%s", g->pci);
	}
	fact_tell(s, g->name, "gpu.model", model, path);
	buf_free(&text);
}

void facts_gpu(const struct fact_sink *s)
{
	struct gpu *nvidia = NULL;
	struct facts_names devices;
	char path[FACTS_PATH];
	size_t n = 0, n_nvidia = 0;

	facts_names(DEVICES, PCI_MAX, &devices);
	nvidia = calloc(GPUS_MAX, sizeof(*nvidia));
	for (size_t i = 0; nvidia && i < devices.n && n < GPUS_MAX; i++) {
		struct gpu g;
		uint64_t vendor = number_of(devices.v[i], "vendor");

		if (!facts_is_pci(devices.v[i]) ||
		    !sys_is_gpu((long)number_of(devices.v[i], "class"), (long)vendor))
			continue;
		snprintf(g.name, sizeof(g.name), "gpu%zu", n++);
		memcpy(g.pci, devices.v[i], sizeof(g.pci));
		tell_model(s, &g);
		snprintf(path, sizeof(path), DEVICES "/%s", g.pci);
		facts_say_pcie(s, g.name, "gpu", path);
		if (vendor == NVIDIA)
			nvidia[n_nvidia++] = g;
	}
	facts_names_free(&devices);
	if (n_nvidia > 0 && !sys_redirected())
		facts_nvml(s, nvidia, n_nvidia);
	free(nvidia);
}

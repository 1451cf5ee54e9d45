/*
 * A stand-in for the GPU driver's management library: four GPUs, told apart by the first digit of
 * their PCI bus. 0 is well, 1 has one fault of each kind, 2 is not shown to this user, 3 is a card
 * that has none of it.
 */
#include <stddef.h>
#include <string.h>

enum { OK = 0, INVALID = 2, UNSUPPORTED = 3, NOT_FOUND = 6, LOST = 15, LINKS = 18 };

struct nvml_device {
	int number;
};
struct fabric {
	unsigned char cluster[16];
	int status;
	unsigned int clique;
	unsigned char state;
};

static struct nvml_device devices[4] = { { 0 }, { 1 }, { 2 }, { 3 } };

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int code);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, struct nvml_device **out);
int nvmlDeviceGetNvLinkState(struct nvml_device *d, unsigned int link, int *active);
int nvmlDeviceGetCurrentClocksThrottleReasons(struct nvml_device *d, unsigned long long *reasons);
int nvmlDeviceGetEccMode(struct nvml_device *d, int *now, int *pending);
int nvmlDeviceGetTotalEccErrors(struct nvml_device *d, int kind, int counter,
                                unsigned long long *count);
int nvmlDeviceGetMigMode(struct nvml_device *d, unsigned int *now, unsigned int *pending);
int nvmlDeviceGetGpuFabricInfo(struct nvml_device *d, struct fabric *out);

int nvmlInit_v2(void)
{
	return OK;
}

int nvmlShutdown(void)
{
	return OK;
}

const char *nvmlErrorString(int code)
{
	return code == NOT_FOUND ? "Not Found" : code == LOST ? "GPU is lost" : "Some error";
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, struct nvml_device **out)
{
	int number = strlen(pci) == strlen("0000:00:00.0") ? pci[5] - '0' : -1;

	if (number < 0 || number > 3 || number == 2)
		return NOT_FOUND;
	*out = &devices[number];
	return OK;
}

int nvmlDeviceGetNvLinkState(struct nvml_device *d, unsigned int link, int *active)
{
	if (d->number == 3)
		return UNSUPPORTED;
	if (link >= LINKS)
		return INVALID;
	*active = d->number != 1 || link != 4;
	return OK;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(struct nvml_device *d, unsigned long long *reasons)
{
	/* Idle is a reason too, but none that holds anything back. */
	*reasons = d->number == 1 ? 0x48 : 0x1;
	return d->number == 3 ? UNSUPPORTED : OK;
}

int nvmlDeviceGetEccMode(struct nvml_device *d, int *now, int *pending)
{
	*now = d->number == 0;
	*pending = 1;
	return d->number == 3 ? UNSUPPORTED : OK;
}

int nvmlDeviceGetTotalEccErrors(struct nvml_device *d, int kind, int counter,
                                unsigned long long *count)
{
	*count = d->number == 1 && kind == 1 && counter == 0 ? 2 : 0;
	return d->number == 3 ? LOST : OK;
}

int nvmlDeviceGetMigMode(struct nvml_device *d, unsigned int *now, unsigned int *pending)
{
	*now = d->number == 1;
	*pending = 0;
	return d->number == 3 ? UNSUPPORTED : OK;
}

int nvmlDeviceGetGpuFabricInfo(struct nvml_device *d, struct fabric *out)
{
	out->state = 3;
	out->status = d->number == 1 ? LOST : OK;
	return d->number == 3 ? UNSUPPORTED : OK;
}

/*
 * What the GPU driver's management library says, loaded only where there are GPUs. The prototypes
 * are our own: C interface of libnvidia-ml.so.1, handles are opaque, 0 is success. The library is
 * asked in a thread, since a driver in trouble hangs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/mem.h"
#include "bench/facts/facts_gpu.h"

#define NVML "libnvidia-ml.so.1"
enum { LINKS_MAX = 18, NOT_SUPPORTED = 3 };

typedef struct nvml_device *device_t;

/* State of the registration with the fabric, first version of that answer. */
struct fabric_info {
	unsigned char cluster[16];
	int status;
	unsigned int clique;
	unsigned char state;
};

struct nvml {
	void *handle;
	int (*init)(void);
	int (*shut)(void);
	const char *(*error_text)(int code);
	int (*by_pci)(const char *pci, device_t *out);
	int (*link_state)(device_t d, unsigned int link, int *active);
	int (*throttle)(device_t d, unsigned long long *reasons);
	int (*ecc_mode)(device_t d, int *now, int *pending);
	int (*ecc_errors)(device_t d, int kind, int counter, unsigned long long *count);
	int (*mig_mode)(device_t d, unsigned int *now, unsigned int *pending);
	int (*fabric)(device_t d, struct fabric_info *out);
};

/* Function pointers and object pointers have one form here (POSIX, dlsym). */
static void find(const struct nvml *l, void *function_p, const char *name, const char *older)
{
	void *f = dlsym(l->handle, name);

	if (!f && older)
		f = dlsym(l->handle, older);
	memcpy(function_p, &f, sizeof(f));
}

static bool load(struct nvml *l, char *why, size_t n)
{
	l->handle = dlopen(NVML, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle) {
		snprintf(why, n, "%s", dlerror());
		return false;
	}
	find(l, &l->init, "nvmlInit_v2", NULL);
	find(l, &l->shut, "nvmlShutdown", NULL);
	find(l, &l->error_text, "nvmlErrorString", NULL);
	find(l, &l->by_pci, "nvmlDeviceGetHandleByPciBusId_v2", NULL);
	find(l, &l->link_state, "nvmlDeviceGetNvLinkState", NULL);
	find(l, &l->throttle, "nvmlDeviceGetCurrentClocksEventReasons",
	     "nvmlDeviceGetCurrentClocksThrottleReasons");
	find(l, &l->ecc_mode, "nvmlDeviceGetEccMode", NULL);
	find(l, &l->ecc_errors, "nvmlDeviceGetTotalEccErrors", NULL);
	find(l, &l->mig_mode, "nvmlDeviceGetMigMode", NULL);
	find(l, &l->fabric, "nvmlDeviceGetGpuFabricInfo", NULL);
	if (l->init && l->shut && l->by_pci)
		return true;
	snprintf(why, n, NVML ": lacks functions that every version has");
	return false;
}

/* A fact found in the thread, told once that is done. */
struct answer {
	char device[FACTS_NAME], key[FACTS_NAME], value[FACTS_LINE], source[FACTS_LINE];
	bool known;
};

struct question {
	struct gpu *gpus;
	size_t n;
	char why[FACTS_LINE]; /* the library itself said no; "" else */
	struct answer *answers;
	size_t n_answers, cap;
	struct nvml lib;
};

static void note(struct question *q, const struct gpu *g, const char *key, const char *value,
                 const char *source)
{
	struct answer *a;

	hb_grow(&q->answers, &q->cap, q->n_answers + 1, sizeof(*q->answers));
	a = &q->answers[q->n_answers++];
	*a = (struct answer){ .known = value != NULL };
	snprintf(a->device, sizeof(a->device), "%s", g->name);
	snprintf(a->key, sizeof(a->key), "%s", key);
	snprintf(a->value, sizeof(a->value), "%s", value ? value : "");
	snprintf(a->source, sizeof(a->source), "%s", source);
}

static void note_number(struct question *q, const struct gpu *g, const char *key,
                        unsigned long long v)
{
	char text[FACTS_NAME];

	snprintf(text, sizeof(text), "%llu", v);
	note(q, g, key, text, "NVML");
}

static const char *error_text(const struct nvml *l, int code)
{
	const char *text = l->error_text ? l->error_text(code) : NULL;

	return text ? text : "an error without a text";
}

/* False where there is nothing to tell; a failure that is not "there is none" is told. */
static bool answered(struct question *q, const struct gpu *g, const char *key, int code)
{
	char why[FACTS_LINE];

	if (code == 0)
		return true;
	if (code != NOT_SUPPORTED) {
		snprintf(why, sizeof(why), "NVML: %.200s", error_text(&q->lib, code));
		note(q, g, key, NULL, why);
	}
	return false;
}

static void ask_links(struct question *q, const struct gpu *g, device_t d)
{
	unsigned long long active = 0, inactive = 0;
	int state;

	if (!q->lib.link_state)
		return;
	for (unsigned int i = 0; i < LINKS_MAX; i++) {
		if (q->lib.link_state(d, i, &state) != 0)
			continue;
		active += state != 0;
		inactive += state == 0;
	}
	note_number(q, g, "gpu.nvlinks", active);
	note_number(q, g, "gpu.nvlinks_inactive", inactive);
}

static void ask_throttle(struct question *q, const struct gpu *g, device_t d)
{
	static const struct {
		unsigned long long bit;
		const char *name;
	} reasons[] = {
		{ 0x08, "hw-slowdown" }, { 0x40, "hw-thermal" }, { 0x80, "power-brake" },
		{ 0x04, "power-cap" },   { 0x20, "sw-thermal" },
	};
	unsigned long long bits;
	struct facts_set set = { NULL, 0, 0 };
	struct buf text = BUF_INIT;

	if (!q->lib.throttle || !answered(q, g, "gpu.throttle", q->lib.throttle(d, &bits)))
		return;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (bits & reasons[i].bit)
			facts_set_add(&set, reasons[i].name);
	facts_set_put(&set, &text);
	note(q, g, "gpu.throttle", text.len ? buf_text(&text) : "none", "NVML");
	buf_free(&text);
}

static void ask_modes(struct question *q, const struct gpu *g, device_t d)
{
	enum { UNCORRECTED = 1, SINCE_RESET = 0 };
	unsigned long long errors;
	unsigned int mig, later;
	int ecc, pending;

	if (q->lib.ecc_mode && answered(q, g, "gpu.ecc", q->lib.ecc_mode(d, &ecc, &pending)))
		note(q, g, "gpu.ecc", ecc ? "yes" : "no", "NVML");
	if (q->lib.ecc_errors && answered(q, g, "gpu.ecc_uncorrected",
	                                  q->lib.ecc_errors(d, UNCORRECTED, SINCE_RESET, &errors)))
		note_number(q, g, "gpu.ecc_uncorrected", errors);
	if (q->lib.mig_mode && answered(q, g, "gpu.mig", q->lib.mig_mode(d, &mig, &later)))
		note(q, g, "gpu.mig", mig ? "yes" : "no", "NVML");
}

static void ask_fabric(struct question *q, const struct gpu *g, device_t d)
{
	static const char *const states[] = { "not-supported", "not-started", "in-progress",
		                              "completed" };
	struct fabric_info info = { .status = 0 };
	const char *text = "unknown";

	if (!q->lib.fabric || !answered(q, g, "gpu.fabric", q->lib.fabric(d, &info)))
		return;
	if (info.state < sizeof(states) / sizeof(*states))
		text = states[info.state];
	/* Registration came to an end, but not a good one. */
	if (info.state == 3 && info.status != 0)
		text = error_text(&q->lib, info.status);
	note(q, g, "gpu.fabric", text, "NVML");
}

static void ask(void *data)
{
	struct question *q = data;
	device_t d;
	int code;

	if (!load(&q->lib, q->why, sizeof(q->why)))
		return;
	code = q->lib.init();
	if (code != 0) {
		snprintf(q->why, sizeof(q->why), "nvmlInit: %.200s", error_text(&q->lib, code));
		return;
	}
	for (size_t i = 0; i < q->n; i++) {
		const struct gpu *g = &q->gpus[i];

		code = q->lib.by_pci(g->pci, &d);
		/* A batch system may show only some of them. */
		if (!answered(q, g, "gpu.nvlinks", code))
			continue;
		ask_links(q, g, d);
		ask_throttle(q, g, d);
		ask_modes(q, g, d);
		ask_fabric(q, g, d);
	}
	q->lib.shut();
}

static void release(void *data)
{
	struct question *q = data;

	if (q->lib.handle)
		dlclose(q->lib.handle);
	free(q->gpus);
	free(q->answers);
	free(q);
}

void facts_nvml(const struct fact_sink *s, const struct gpu *gpus, size_t n)
{
	struct timespec deadline = facts_deadline(FACTS_PATIENCE_GPU_MS);
	struct question *q = hb_alloc(sizeof(*q));
	struct facts_task *task;

	q->gpus = hb_realloc_array(NULL, n, sizeof(*gpus));
	memcpy(q->gpus, gpus, n * sizeof(*gpus));
	q->n = n;
	task = facts_task_start(ask, release, q);
	q = facts_task_wait(task, &deadline);
	for (size_t i = 0; q && i < q->n_answers; i++) {
		const struct answer *a = &q->answers[i];

		fact_tell(s, a->device, a->key, a->known ? a->value : NULL, a->source);
	}
	for (size_t i = 0; i < n && (!q || *q->why); i++)
		fact_tell(s, gpus[i].name, "gpu.nvlinks", NULL,
		          q ? q->why : "NVML: no answer within four seconds");
	facts_task_drop(task);
}

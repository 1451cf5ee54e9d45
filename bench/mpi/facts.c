/* What the MPI library tells of itself, and the settings it takes from the environment. */
#include <link.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/record.h"
#include "bench/facts/facts.h"
#include "bench/mpi/benches.h"

static void add_fact(json_object *arr, const char *endpoint, const char *key, const char *value,
                     const char *source)
{
	json_object_array_add(arr, rec_fact_to_json(endpoint, key, value, source));
}

/* The first line without blanks at its end: some libraries add a page of build options. */
static void library_version(const char *endpoint, json_object *arr)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	size_t n;
	int len = 0, major = 0, minor = 0;
	char standard[32];

	if (MPI_Get_library_version(text, &len) == MPI_SUCCESS) {
		n = strcspn(text, "\r\n");
		while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
			n--;
		text[n] = '\0';
		add_fact(arr, endpoint, "sw.mpi", text, "MPI_Get_library_version");
	}
	if (MPI_Get_version(&major, &minor) == MPI_SUCCESS) {
		snprintf(standard, sizeof(standard), "%d.%d", major, minor);
		add_fact(arr, endpoint, "sw.mpi_standard", standard, "MPI_Get_version");
	}
}

/* What facts are put into as records. */
struct records {
	json_object *arr;
	const char *endpoint;
};

static void add_setting(void *ctx, const char *device, const char *key, const char *value,
                        const char *source)
{
	const struct records *r = ctx;

	(void)device; /* settings are the node's */
	add_fact(r->arr, r->endpoint, key, value, source);
}

static void environment(const char *endpoint, json_object *arr)
{
	struct records records = { arr, endpoint };
	const struct fact_sink sink = { add_setting, &records };

	facts_environment(&sink);
}

/* Reads a control variable that holds a truth value: 1, 0, or -1 where there is none. */
static int control_variable(const char *name)
{
	MPI_T_cvar_handle handle;
	MPI_Datatype type;
	int index, n = 0, verbosity, binding, scope, value = -1;
	_Bool as_bool = false;

	if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
	    MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, &type, NULL, NULL, NULL, &binding,
	                        &scope) != MPI_SUCCESS ||
	    (type != MPI_C_BOOL && type != MPI_INT) ||
	    MPI_T_cvar_handle_alloc(index, NULL, &handle, &n) != MPI_SUCCESS)
		return -1;
	if (n == 1 && type == MPI_INT)
		MPI_T_cvar_read(handle, &value);
	else if (n == 1 && MPI_T_cvar_read(handle, &as_bool) == MPI_SUCCESS)
		value = as_bool;
	MPI_T_cvar_handle_free(&handle);
	return value < 0 ? -1 : value != 0;
}

/* Giving the core away while waiting multiplies the latency within a node: it must be known. */
static void way_of_waiting(const char *endpoint, json_object *arr)
{
	int provided, value;

	if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
		return;
	value = control_variable("mpi_yield_when_idle");
	if (value >= 0)
		add_fact(arr, endpoint, "mpi.yield_when_idle", value ? "1" : "0", "MPI_T");
	MPI_T_finalize();
}

void mpi_facts(const char *endpoint, json_object *arr)
{
	library_version(endpoint, arr);
	way_of_waiting(endpoint, arr);
	environment(endpoint, arr);
}

/* Open MPI opens a component as a library of its own and closes what it does not select. */
static const char *component_of(const char *path, const char *kind, size_t *len)
{
	const char *file = strrchr(path, '/');

	file = file ? file + 1 : path;
	if (strncmp(file, kind, strlen(kind)) != 0)
		return NULL;
	file += strlen(kind);
	*len = strcspn(file, ".");
	return file;
}

struct found {
	const char *kind;
	char *out;
	size_t n, used;
};

static int note_component(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct found *f = arg;
	size_t len;
	const char *name = component_of(info->dlpi_name, f->kind, &len);

	(void)size;
	if (name && f->used + len + 2 < f->n)
		f->used += (size_t)snprintf(f->out + f->used, f->n - f->used, "%s%.*s",
		                            f->used ? " " : "", (int)len, name);
	return 0;
}

static void components(const char *kind, char *out, size_t n)
{
	struct found f = { kind, out, n, 0 };

	out[0] = '\0';
	dl_iterate_phdr(note_component, &f);
}

const char *mpi_transport(void)
{
	static _Thread_local char text[256];
	char pml[64], mtl[64], btl[96];

	components("mca_pml_", pml, sizeof(pml));
	components("mca_mtl_", mtl, sizeof(mtl));
	components("mca_btl_", btl, sizeof(btl));
	if (!pml[0])
		return NULL;
	snprintf(text, sizeof(text), "%s: %s", pml, !strcmp(pml, "cm") ? mtl : btl);
	return text;
}

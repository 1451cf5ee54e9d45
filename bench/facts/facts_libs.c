/* The libraries that this process has really loaded. */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "bench/facts/facts.h"
#include "bench/facts/facts_parts.h"

enum { ID_MAX = 64 };

/* By the beginning of the file's name: those that move data or start ranks, and the C library. */
static bool matters(const char *file)
{
	static const char *const names[] = {
		"libmpi.so",   "libmpi_",     "libmpich",     "libpmix.so",    "libpmi.so",
		"libpmi2.so",  "libprrte",    "libopen-pal",  "libopen-rte",   "libucp.so",
		"libuct.so",   "libucs.so",   "libfabric.so", "libibverbs.so", "librdmacm.so",
		"libnccl.so",  "libnccl-net", "libcudart",    "libcuda.so",    "libnvidia-ml.so",
		"libhwloc.so", "libpsm",      "libmlx5",      "libuct_ib",     "libcxi.so",
		"libsharp",    "libhcoll",    "libxpmem",     "libc.so",       "libc-",
		NULL,
	};

	return facts_begins(file, names);
}

/*
 * The name that the library gives itself; NULL: none. The loader has made the address of the
 * string table absolute; where it has not (some systems) it lies below the base.
 */
static const char *soname(const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *dynamic = NULL;
	ElfW(Addr) strings = 0;
	ElfW(Xword) name = 0;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_STRTAB)
			strings = dynamic->d_un.d_ptr;
		else if (dynamic->d_tag == DT_SONAME)
			name = dynamic->d_un.d_val;
	}
	if (!strings || !name)
		return NULL;
	return (const char *)(strings < info->dlpi_addr ? info->dlpi_addr + strings : strings) +
	       name;
}

/* Looks through one segment of notes for the build id that the linker left. */
static bool id_in(const unsigned char *at, size_t size, char *out)
{
	const unsigned char *end = at + size;

	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t name = (note->n_namesz + 3U) & ~3U, desc = (note->n_descsz + 3U) & ~3U;
		const unsigned char *id;

		at += sizeof(*note);
		if (name > (size_t)(end - at) || desc > (size_t)(end - at) - name)
			return false;
		id = at + name;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(at, "GNU", 4) == 0 && note->n_descsz > 0 && note->n_descsz <= ID_MAX) {
			for (size_t i = 0; i < note->n_descsz; i++)
				snprintf(out + 2 * i, 3, "%02x", id[i]);
			return true;
		}
		at = id + desc;
	}
	return false;
}

static bool build_id(const struct dl_phdr_info *info, char out[2 * ID_MAX + 1])
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE &&
		    id_in((const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
		          info->dlpi_phdr[i].p_memsz, out))
			return true;
	return false;
}

static int note_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct fact_sink *s = arg;
	const char *file = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	const char *name;
	char device[FACTS_NAME + 8], id[2 * ID_MAX + 1];

	(void)size;
	if (!file || !matters(file + 1))
		return 0;
	name = soname(info);
	snprintf(device, sizeof(device), "lib:%.*s", FACTS_NAME, name ? name : file + 1);
	fact_tell(s, device, "lib.path", info->dlpi_name, "dl_iterate_phdr");
	if (build_id(info, id))
		fact_tell(s, device, "lib.build_id", id, "dl_iterate_phdr");
	else
		fact_tell(s, device, "lib.build_id", NULL, "dl_iterate_phdr: it has no build id");
	return 0;
}

void facts_libraries(const struct fact_sink *s)
{
	dl_iterate_phdr(note_library, (void *)(uintptr_t)s);
}

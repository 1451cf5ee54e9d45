#include "tests/fuzz/memory.h"

#include <sys/resource.h>

#include "tests/fuzz/fuzz.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#endif

#ifdef WATCHED
/* Of every sanitizer's allocator; gcc brings no header for it. */
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
                                              void (*given_back)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *p);

static size_t held, most;

static void taken(const volatile void *p, size_t size)
{
	(void)p;
	held += size;
	most = held > most ? held : most;
	if (most > FUZZ_MEMORY_MAX)
		fuzz_broken(__FILE__, __LINE__, "memory within FUZZ_MEMORY_MAX");
}

static void given_back(const volatile void *p)
{
	size_t size = p ? __sanitizer_get_allocated_size(p) : 0;

	held -= size < held ? size : held;
}

void memory_watch(void)
{
	__sanitizer_install_malloc_and_free_hooks(taken, given_back);
}

void memory_begin(void)
{
	held = most = 0;
}

void memory_end(void)
{
	if (getenv("FUZZ_SHOW_MEMORY"))
		fprintf(stderr, "memory: %zu at most, %zu left\n", most, held);
}

#else

void memory_watch(void)
{
	struct rlimit limit;

	FUZZ_CHECK(getrlimit(RLIMIT_DATA, &limit) == 0);
	limit.rlim_cur = FUZZ_MEMORY_MAX;
	FUZZ_CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
}

void memory_begin(void)
{
}

void memory_end(void)
{
}

#endif

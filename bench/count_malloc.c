/* SPDX-License-Identifier: MIT
 * count_malloc.c - every allocation of the program passes here; counted on demand. */
#include "bench.h"
#include <stdatomic.h>
#include <stdlib.h>

/* glibc's own names for what we stand in front of */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

volatile int bench_counting;
static atomic_uint_fast64_t count;

static void note(void)
{
	if (bench_counting)
		atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

uint64_t bench_mallocs(void)
{
	return atomic_load(&count);
}

/* visible, or the libraries would go on with their own */
#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t size)
{
	note();
	return __libc_malloc(size);
}

EXPORT void *calloc(size_t n, size_t size)
{
	note();
	return __libc_calloc(n, size);
}

EXPORT void *realloc(void *old, size_t size)
{
	note();
	return __libc_realloc(old, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	note();
	return __libc_memalign(alignment, size);
}

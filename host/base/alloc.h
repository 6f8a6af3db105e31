/* SPDX-License-Identifier: MIT
 * alloc.h - memory for start-up and configuration, where running out of it can only end the program. */
#ifndef HP_ALLOC_H
#define HP_ALLOC_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Passes a block on; ends the program when there is none. The caller owns the block. */
static inline void *hp_need(void *block)
{
	if (!block) {
		fputs("headpipe: out of memory\n", stderr);
		exit(1);
	}
	return block;
}
/* n bytes of text as a new NUL-terminated string. */
static inline char *hp_text(const char *text, size_t n)
{
	char *copy = hp_need(malloc(n + 1));
	memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}
/* Makes room for item number n (from 0) of an array that grows by doubling; *array keeps its items. */
static inline void hp_grow(void *array, size_t n, size_t item_size)
{
	void *block;
	if (n & (n - 1) || n == 1) /* between powers of two there is room; 0 and 1 share the first block */
		return;
	memcpy(&block, array, sizeof block);
	block = hp_need(realloc(block, (n ? 2 * n : 2) * item_size));
	memcpy(array, &block, sizeof block);
}
#endif

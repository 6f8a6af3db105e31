/* SPDX-License-Identifier: MIT
 * recording.h - writes small recordings for tests; a head tracker's descriptor to put into them. */
#ifndef RECORDING_H
#define RECORDING_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rotation vector 3 x 16 bits in 1e-4 rad, reset counter 8 bits, report ID 1: reports of 8 bytes. */
#define TRACKER_R                                                                                             \
	"R: 52 05 20 09 e1 a1 01 85 01 0a 44 05 16 01 80 26 ff 7f 36 01 80 46 ff 7f 55 0c 75 10 95 03 81 02 " \
	"0a 46 05 15 00 26 ff 00 35 00 45 00 55 00 75 08 95 01 81 02 c0\n"
/* A mouse: no rotation vector. Reports of 3 bytes, no ID. */
#define MOUSE_R                                                                                                  \
	"R: 50 05 01 09 02 a1 01 09 01 a1 00 05 09 19 01 29 03 15 00 25 01 95 03 75 01 81 02 95 01 75 05 81 03 " \
	"05 01 09 30 09 31 15 81 25 7f 75 08 95 02 81 06 c0 c0\n"

static char recording_path[64];

/* The text as a file; the path is good until the next call. */
static inline const char *recording(const char *text, size_t size)
{
	if (*recording_path)
		unlink(recording_path);
	snprintf(recording_path, sizeof recording_path, "/tmp/headpipe-test-%ld.hid", (long)getpid());
	FILE *f = fopen(recording_path, "wb");
	if (!f || fwrite(text, 1, size, f) != size || fclose(f))
		abort();
	return recording_path;
}
#define RECORDING(text) recording(text, strlen(text))
static inline void recording_gone(void)
{
	if (*recording_path)
		unlink(recording_path);
	*recording_path = 0;
}
#endif

/* SPDX-License-Identifier: MIT
 * fuzz_ini_edit.c - any text as an ini that a calibration is written into: everything that is not one of its keys
 * stays, and a second time changes nothing. */
#include "calibrate/calibrate.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_cal_answer a = {
		.axis_map = "YXZ", .invert = "XZ", .gyro_map = "same", .gyro_invert = "same", .tilt = { 1.25, -60, 0 }
	};
	const char *why;
	char *text = calloc(1, size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	char *once = hp_cal_edit(text, &a, &why);
	if (!once && !why)
		abort();
	if (once) {
		char *twice = hp_cal_edit(once, &a, &why);
		if (!twice || strcmp(once, twice) != 0 || !strstr(once, "-60.0"))
			abort();
		free(twice);
	}
	free(once);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: MIT
 * fuzz_json_sample.c - any text as a line of a program's output: refused with a reason, or a sample that is finite. */
#include "inputs/json_sample.h"
#include "pose/pose.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_json_sample s;
	char why[200] = "";
	if (hp_json_to_sample((const char *)data, size, &s, why, sizeof why) < 0) {
		if (!*why)
			abort();
		return 0;
	}
	const double *q = s.sample.quat;
	double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
	if (!hp_sample_finite(&s.sample) || fabs(n - 1) > 1e-9 || !memchr(s.device, 0, sizeof s.device))
		abort();
	return 0;
}

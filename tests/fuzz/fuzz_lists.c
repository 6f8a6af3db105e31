/* SPDX-License-Identifier: MIT
 * fuzz_lists.c - any text as the lists in options: columns and stage of csv, invert and swap of axes, points of curve,
 * maps of mount. The first byte chooses. What check() takes must open and work, what it refuses must come with a key
 * and a reason. */
#include "../unit/fake_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const struct hp_module hp_output_csv, hp_filter_axes, hp_filter_curve, hp_filter_mount;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const struct hp_module *module;
		const char *key;
	} lists[] = { { &hp_output_csv, "columns" },    { &hp_output_csv, "stage" },
		      { &hp_filter_axes, "invert" },    { &hp_filter_axes, "swap" },
		      { &hp_filter_curve, "yaw" },      { &hp_filter_curve, "pitch_negative" },
		      { &hp_filter_mount, "axis_map" }, { &hp_filter_mount, "gyro_invert" } };
	struct fake_host f;
	struct hp_sample s = HP_SAMPLE_INIT;
	const char *key = NULL;
	char why[512] = "";
	if (!size)
		return 0;
	const struct hp_module *m = lists[*data % 8].module;
	char *text = calloc(1, size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	fake_init(&f, "fuzz");
	void *state = fake_state(m);
	if (m->kind == HP_OUTPUT)
		fake_set(m, state, "path", "/nowhere/x.csv");
	fake_set(m, state, lists[*data % 8].key, text);
	s.flags = HP_YPR | HP_POS | HP_GYRO | HP_ACCEL | HP_ROTVEC | HP_DEVCLK;
	if (m->check(state, &key, why, sizeof why) < 0) {
		if (!key || !*why)
			abort();
	} else if (m->open(state, &f.host) < 0 || (m->write ? m->write(state, &s) : m->filter(state, &s)) != 0) {
		abort();
	}
	free(state);
	free(text);
	fake_free(&f);
	return 0;
}

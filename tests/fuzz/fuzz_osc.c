/* SPDX-License-Identifier: MIT
 * fuzz_osc.c - any text as `address` and `args` of the encoder osc (separated by a newline): it is refused with a
 * reason, or a sample is encoded into exactly the room it needs. */
#include "../unit/fake_host.h"
#include "have.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#if !HP_HAVE_LIBLO
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}
#else
extern const struct hp_module hp_encoder_osc;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct hp_module *m = &hp_encoder_osc;
	struct fake_host f;
	struct hp_sample s = HP_SAMPLE_INIT;
	const char *key = NULL;
	char why[256] = "";
	char *text = calloc(1, size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	char *args = strchr(text, '\n');
	if (args)
		*args++ = 0;
	fake_init(&f, "fuzz");
	void *state = fake_state(m);
	fake_set(m, state, "address", text);
	fake_set(m, state, "args", args ? args : "yaw");
	if (m->check(state, &key, why, sizeof why) < 0) {
		if (!key || !*why)
			abort();
	} else if (m->open(state, &f.host) == 0) {
		static uint8_t room[65536];
		s.flags = HP_YPR | HP_POS;
		int n = m->encode(state, &s, &f.stream, room, sizeof room);
		if (n > 0) {
			uint8_t *exact = malloc((size_t)n);
			if (exact && m->encode(state, &s, &f.stream, exact, (size_t)n) != n)
				abort();
			free(exact);
		}
		if (n < 0 || n % 4)
			abort();
		m->close(state);
	}
	free(state);
	free(text);
	fake_free(&f);
	return 0;
}
#endif

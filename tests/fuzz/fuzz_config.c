/* SPDX-License-Identifier: MIT
 * fuzz_config.c - any bytes as an ini file, and its values as every type of option. */
#include "config/config.h"
#include "config/options.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct state {
	bool on;
	int n;
	int64_t big, wait, pause;
	double part, real;
	const char *text, *path;
	int choice;
	struct hp_addrs to, maybe;
};
static const struct hp_option table[] = { HP_OPT_BOOL(struct state, on, "yes", "d", HP_LIVE),
	                                  HP_OPT_INT(struct state, n, "0", -3, 70000, "d", HP_LIVE),
	                                  HP_OPT_INT(struct state, big, "0", 0, 0, "d", HP_LIVE),
	                                  HP_OPT_NS(struct state, wait, "20ms", 0, 60, "d", HP_LIVE),
	                                  HP_OPT_NS(struct state, pause, "0", 0, 0, "d", HP_LIVE),
	                                  HP_OPT_REAL(struct state, part, "0.5", 0, 1, "d", HP_LIVE),
	                                  HP_OPT_REAL(struct state, real, "0", 0, 0, "d", HP_LIVE),
	                                  HP_OPT_STR(struct state, text, "", "d", HP_LIVE),
	                                  HP_OPT_PATH(struct state, path, "a", "d", HP_LIVE),
	                                  HP_OPT_ENUM(struct state, choice, "yaw", "yaw|pitch|roll", "d", HP_LIVE),
	                                  HP_OPT_ADDRS(struct state, to, "127.0.0.1:4242", "d", HP_LIVE),
	                                  HP_OPT_ADDRS(struct state, maybe, "", "d", HP_LIVE),
	                                  HP_OPT_GONE("old", "use `to`"),
	                                  HP_OPT_END };

static void need(bool truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_config config = { 0 };
	struct hp_errors errors = { 0 };
	char why[200];
	int result = hp_config_parse(&config, (const char *)data, size, "f", &errors);
	need((result == 0) == (errors.count == 0));
	need(errors.text == NULL || strlen(errors.text) == errors.size);
	for (size_t i = 0; i < config.nsections; i++) {
		const struct hp_section *section = &config.sections[i];
		struct state state = { 0 };
		struct hp_values values = { 0 };
		int before = errors.count;
		result = hp_options_fill(table, &state, section, "mod", NULL, 0, &values, &errors);
		need((result == 0) == (errors.count == before));
		need(state.part >= 0 && state.part <= 1 && state.wait >= 0 && state.n >= -3 && state.n <= 70000);
		need(state.choice >= 0 && state.choice < 3);
		for (uint32_t a = 0; a < state.to.n; a++)
			need(state.to.at[a].port > 0 && *state.to.at[a].host && strlen(state.to.at[a].host) < 256);
		for (size_t j = 0; j < section->npairs; j++) {
			const struct hp_change change = { section->pairs[j].key, section->pairs[j].value };
			need(strlen(change.value) <= HP_LINE_MAX);
			hp_options_change(table, &state, &change, 1, "/b", NULL, &values, why, sizeof why);
		}
		hp_values_free(&values);
	}
	/* the same bytes as -s */
	char *text = malloc(size + 1);
	need(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	hp_config_set(&config, text, &errors);
	free(text);
	hp_config_free(&config);
	hp_errors_free(&errors);
	return 0;
}

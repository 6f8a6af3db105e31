/* SPDX-License-Identifier: MIT
 * ini.h - what the ini files say of a section and of the whole run, for those who read, tell or change it. What runs
 * does not look here: it gets its numbers when it is opened. */
#ifndef HP_INI_H
#define HP_INI_H
#include "config/config.h"
#include "config/options.h"

struct hp_node_ini {
	const struct hp_section *section; /* of the configuration that the run was built from */
	struct hp_host_keys keys;
	struct hp_values values; /* memory of the texts in keys, state and encoder_state */
	char *base_dir;          /* folder of the ini file, for paths */
};

struct hp_run_ini {
	struct hp_config *config;    /* of whoever built the graph; outlives the run */
	struct hp_settings settings; /* [headpipe] */
	struct hp_values values;     /* memory of the texts in settings */
};
#endif

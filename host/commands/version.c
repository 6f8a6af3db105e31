/* SPDX-License-Identifier: MIT
 * version.c - `headpipe version`. */
#include "commands/shared/command.h"
#include <stdio.h>
#include <uv.h>

static int version(void *state)
{
	(void)state;
	printf("headpipe " HP_VERSION " (module ABI %u.%u, libuv %s)\n", HP_ABI_MAJOR, HP_ABI_MINOR,
	       uv_version_string());
	return 0;
}

const struct hp_command hp_command_version = {
	.name = "version",
	.summary = "print the version",
	.run = version,
};

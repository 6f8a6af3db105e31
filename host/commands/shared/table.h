/* SPDX-License-Identifier: MIT
 * table.h - every command, by name; for main.c, which finds one, and help.c, which lists them. The rows are made by the
 * Makefile from the names of the files in host/commands, so a new command is a new file and nothing else. */
#ifndef HP_TABLE_H
#define HP_TABLE_H
#include "command.h"

#define COMMAND(name) extern const struct hp_command hp_command_##name;
#include "commands.def"
#undef COMMAND
#define COMMAND(name) &hp_command_##name,
static const struct hp_command *const commands[] = {
#include "commands.def"
	NULL
};
#undef COMMAND
#endif

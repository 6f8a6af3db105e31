/* SPDX-License-Identifier: MIT
 * commands.h - the program's commands, one per cmd_NAME.c. argv[0] is the command's name. Each returns the exit status:
 * 0 done, 1 failed while running, 2 wrong usage or configuration (3 and 4: see probe and doctor). */
#ifndef HP_COMMANDS_H
#define HP_COMMANDS_H
#include "config/config.h"
#include "graph/node.h"

struct hp_command {
	const char *name, *usage, *summary;
	int (*run)(int argc, char **argv);
	const char *help; /* more lines for `headpipe help NAME`, or NULL */
};
extern const struct hp_command hp_commands[]; /* ends with name == NULL */

int cmd_check(int argc, char **argv);
int cmd_cut(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_hds(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_modules(int argc, char **argv);
int cmd_new(int argc, char **argv);
int cmd_pack(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_try(int argc, char **argv);
int cmd_udev(int argc, char **argv);
int cmd_unpack(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_version(int argc, char **argv);

/* Reads the files and the -s assignments and builds the graph; prints what is wrong. Returns 0 or 2. Both structs
 * zeroed before, hp_unload() after. */
int hp_load(struct hp_run *, struct hp_config *, char *const *files, size_t nfiles, const char *const *assignments,
            size_t nassignments, const char *closing);
void hp_unload(struct hp_run *, struct hp_config *);
/* "headpipe run: what" and the usage line of the command; returns 2. */
int hp_usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif

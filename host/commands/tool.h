/* SPDX-License-Identifier: MIT
 * tool.h - what the commands for session files share: arguments, opening, copying, times, progress. */
#ifndef HP_TOOL_H
#define HP_TOOL_H
#include "commands.h"
#include "headpipe-session.h"

/* Takes `--name VALUE` (or `--name=VALUE`) out of the arguments. NULL: not there. Without a value: *bad is set. */
const char *tool_value(int *argc, char **argv, const char *name, bool *bad);
bool tool_flag(int *argc, char **argv, const char *name);
/* What is left must be `want` file names and no option. 0, or 2 after a message. */
int tool_rest(int argc, char **argv, int want, bool bad);
/* "headpipe info: FILE: text", on stderr; returns 1. */
int tool_fail(const char *command, const char *path, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A duration such as 10s, 500ms, 1min. false after a message. NULL text leaves *ns. */
bool tool_time(const char *command, const char *name, const char *text, int64_t *ns);

/* NULL after a message. recover: walks the file. A note about the file goes to stderr. */
struct hps_reader *tool_open(const char *command, const char *path, bool recover);
/* A channel with our samples, or -1 after a message that says what there is. */
int tool_samples(const char *command, const char *path, struct hps_reader *);
/* "12 %" on a terminal, ten times a second; done == total clears it. */
void tool_progress(uint64_t done, uint64_t total);
/* The recording's first message time. */
int64_t tool_start(struct hps_reader *);
/* Text out of a file, which is not to give orders to the terminal: control characters as \xNN. */
void tool_text(FILE *, const char *text);
/* JSON text with escapes, in quotes; NULL: null. */
void tool_json(FILE *, const char *text);

/* Copies channels, attachments and metadata of one file into another, and messages as the caller likes. */
struct tool_copy {
	struct hps_reader *in;
	struct hps_writer *out;
	int *map; /* input's channel index -> output's channel, 0 = not yet */
	size_t nmap;
	const char *command, *path; /* of the output, for messages */
};
/* Creates path (never replaces a file) with the attachments and metadata of `in`; extra: pairs for "headpipe.session"
 * beside those it has, or NULL. packing: "none", "zstd" or NULL = none. 0, or 1 after a message. */
int tool_copy_open(struct tool_copy *, struct hps_reader *in, const char *command, const char *path,
                   const char *packing, const char *const *extra);
/* One message. 0, or 1 after a message. */
int tool_copy_message(struct tool_copy *, const struct hps_message *);
/* Closes. 0, or 1 after a message. keep: false removes the file. */
int tool_copy_close(struct tool_copy *, bool keep);
#endif

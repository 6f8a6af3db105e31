/* SPDX-License-Identifier: MIT
 * tool.h - what the commands for session files share: rows of arguments, opening, copying, times, progress. */
#ifndef HP_TOOL_H
#define HP_TOOL_H
#include "command.h"
#include "headpipe-session.h"

/* Rows that several of them have; T has the fields file, out, from, to, packing and memory. */
#define TOOL_MEMORY(T)                                                                                                 \
	HP_ARG("--max-memory",                                                                                         \
	       HP_OPT_INT(T, memory, "0", 0, 1 << 20,                                                                  \
	                  "MiB that the file may take unpacked; 0 = half of what the machine has left, at most 1024"), \
	       .value = "MIB")
#define TOOL_FILE(T) HP_ARG("FILE", HP_OPT_STR(T, file, NULL, "the session file"))
#define TOOL_OUT(T)  HP_ARG("-o", HP_OPT_PATH(T, out, NULL, "the new file; one that is there already is left alone"))
#define TOOL_FROM(T) \
	HP_ARG("--from", HP_OPT_NS(T, from, "0s", 0, HP_ARG_LONG, "where the part begins, from the recording's start"))
#define TOOL_TO(T)     \
	HP_ARG("--to", \
	       HP_OPT_NS(T, to, "", 1e-9, HP_ARG_LONG, "where it ends, from the recording's start; else at its end"))
#define TOOL_PACKING(T)         \
	HP_ARG("--compression", \
	       HP_OPT_ENUM(T, packing, "none", "none|zstd|lean", "how the new file's chunks are packed"))
/* The end that --to gives, or one that never comes. 0, or 2 after a message: it must lie behind --from. */
int tool_span(const struct hp_command *, int64_t from, int64_t *to);
/* "headpipe info: FILE: text", on stderr; returns 1. */
int tool_fail(const char *command, const char *path, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* NULL after a message. recover: walks the file. A note about the file goes to stderr. */
struct hps_reader *tool_open(const char *command, const char *path, bool recover);
/* The same with a limit, in MiB; 0 = the usual one. */
struct hps_reader *tool_open_with(const char *command, const char *path, bool recover, int memory);
/* What could not be read until now, and is therefore missing in what the command gives: 1 after a message, or 0. */
int tool_left_out(const char *command, const char *path, struct hps_reader *);
/* A channel with our samples, or -1 after a message that says what there is. *one: no other channel has some. */
int tool_samples(const char *command, const char *path, struct hps_reader *, bool *one);
/* a - b and a + b; where that is beyond the numbers, the nearest there is. */
int64_t tool_minus(int64_t a, int64_t b);
int64_t tool_plus(int64_t a, int64_t b);
/* "12 %" on a terminal, ten times a second; done == total clears it. */
void tool_progress(uint64_t done, uint64_t total);
/* Bytes of a file, 0 when there is none. */
uint64_t tool_file_size(const char *path);
/* When the recording begins; 0 when there is nothing in it. */
int64_t tool_start(struct hps_reader *);
/* A part of a recording in the file's own times, both included. */
struct tool_part {
	int64_t start; /* of the recording */
	int64_t from, to;
	bool whole;
};
/* The part between two times from the recording's start. 0, or 1 after a message: it begins behind the end. */
int tool_part(struct tool_part *, const char *command, const char *path, struct hps_reader *, int64_t from, int64_t to);
/* Text out of a file, which is not to give orders to the terminal: control characters as \xNN. */
void tool_text(FILE *, const char *text);

/* Copies channels, attachments and metadata of one file into another, and messages as the caller likes. */
struct tool_copy {
	struct hps_reader *in;
	struct hps_writer *out;
	int *map; /* input's channel index -> output's channel, 0 = not yet */
	size_t nmap;
	const char *command, *path; /* of the output, for messages */
	int left_out;               /* attachments and messages that could not be copied; told */
};
/* Creates path (never replaces a file) with the attachments and metadata of `in`; extra: pairs for "headpipe.session"
 * beside those it has, or NULL. packing: 0 none, 1 zstd. 0, or 1 after a message. */
int tool_copy_open(struct tool_copy *, struct hps_reader *in, const char *command, const char *path, int packing,
                   const char *const *extra);
/* One message. 0, or 1 after a message. */
int tool_copy_message(struct tool_copy *, const struct hps_message *);
/* Closes. 0, or 1 after a message. keep: false removes the file. */
int tool_copy_close(struct tool_copy *, bool keep);
#endif

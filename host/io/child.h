/* SPDX-License-Identifier: MIT
 * child.h - a program that runs beside a section: started by a shell in a process group of its own, its messages in the
 * log, started again with growing pauses, ended with a grace period. Whatever it does, the loop never waits for it and
 * nothing wakes up while it is silent. All functions [loop]. */
#ifndef HP_CHILD_H
#define HP_CHILD_H
#include "child_log.h"
#include "child_system.h"
#include "outflow.h"
#include <uv.h>

#define HP_RESTARTS "always|failure|never"
enum hp_restart { HP_RESTART_ALWAYS, HP_RESTART_FAILURE, HP_RESTART_NEVER };

/* The options that inputs and outputs with a child share, in a struct of type T with a field `child`. */
struct hp_child_options {
	const char *command, *dir;
	int restart;
	int64_t grace;
};
/* The pause is as long as the host waits for the last handles; see hp_child_stop(). */
#define HP_CHILD_OPTIONS(T, field, restart_default)                                                          \
	HP_OPT_STR_AS(T, field.command, "command", NULL, "the command line, run by /bin/sh", HP_LOCAL),      \
	    HP_OPT_PATH_AS(T, field.dir, "dir", ".", "the folder it runs in; the ini file's when not given", \
	                   HP_LOCAL),                                                                        \
	    HP_OPT_ENUM_AS(T, field.restart, "restart", restart_default, HP_RESTARTS,                        \
	                   "start it again when it has ended: always, after a failure, or never"),           \
	    HP_OPT_NS_AS(T, field.grace, "grace", "1s", 0.01, 1.5,                                           \
	                 "at the end: time to finish by itself, then it is killed")

struct hp_child;
struct hp_child_ops {
	bool writes; /* it gets a pipe as standard input; else /dev/null */
	/* Its standard output; NULL: goes to the log like its standard error. */
	void (*output)(void *arg, const char *data, size_t n);
	void (*started)(void *arg); /* may be NULL */
	void (*ended)(void *arg);   /* all of its output was handed over; may be NULL */
};

enum { HP_CHILD_READ = 65536, HP_CHILD_FRAMES = 16384 };

struct hp_child {
	const struct hp_host *host;
	uv_loop_t *loop;
	const struct hp_child_options *options;
	const struct hp_child_ops *ops;
	void *arg;
	uv_process_t process;
	uv_pipe_t out, err;
	uv_poll_t in; /* writable, while a frame is under way */
	uv_timer_t timer, quiet;
	bool open, running, stopping, in_watched, has_out, deaf;
	int handles; /* that still have to be closed before the next start */
	int64_t exit_status;
	int exit_signal, failures;
	int64_t pause, started_at;
	struct hp_child_log log;
	struct hp_outflow flow;
	size_t pipe_size;
	struct hp_family family; /* of the last start */
	bool family_left;        /* its leader has ended, the others may still be there */
	bool asked;              /* to end, by a signal of ours */
	int other_end;           /* at the end: the reading end of its pipe; -1 = none */
	uint32_t *sizes;         /* of the last frames, a ring */
	uint64_t frames;         /* of this start */
	uint64_t unread;         /* frames that lay in the pipe when a start ended, over all starts */
	char *read_buffer;
};

/* Takes what it needs; frame_max: bytes of the longest frame, pipe_size: of the pipe to its standard input
 * (ops->writes). 0 or -errno. hp_child_close() must follow in both cases. */
int hp_child_open(struct hp_child *, const struct hp_host *, uv_loop_t *, const struct hp_child_options *,
                  const struct hp_child_ops *, void *arg, size_t frame_max, size_t pipe_size);
/* The first start. Later ones come by themselves. 0 or -errno. */
int hp_child_start(struct hp_child *);
/* One frame to its standard input. 0; -ENOBUFS: it does not read fast enough; -ENOTCONN: it does not run or has closed
 * its input. The frame is lost then. No allocation, no waiting. */
int hp_child_put(struct hp_child *, const void *frame, size_t n);
/* The end: closes its input (one that writes) or asks it to end (SIGTERM), asks again after half the grace period,
 * kills it at its end. Returns at once; the host's loop goes on until it is over. */
void hp_child_stop(struct hp_child *);
void hp_child_close(struct hp_child *);
#endif

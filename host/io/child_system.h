/* SPDX-License-Identifier: MIT
 * child_system.h - what the system is asked for a child program. */
#ifndef HP_CHILD_SYSTEM_H
#define HP_CHILD_SYSTEM_H
#include <stdbool.h>
#include <stddef.h>

/* Standard input (when input is set), output (when output is set) and error output: the child's ends, and ours, which
 * do not block. Ends that are not made stay as they are. input_size: bytes that the first one should hold, 0 = as
 * usual. 0 or -errno; the caller closes what was made. */
int hp_child_pipes(int child[3], int ours[3], bool input, bool output, size_t input_size);
/* All that one start of a command has made: its process group, and what has left that, which is known by a mark in the
 * environment that every child inherits. */
struct hp_family {
	int group;     /* the leader's pid; 0 = none */
	char mark[80]; /* HEADPIPE_CHILD=..., another one for every start */
};
void hp_family_new(struct hp_family *);
/* Ours, with the mark. One block, the caller frees it; NULL: no memory. */
char **hp_family_environment(const struct hp_family *);
/* The leader has ended; what it had started may still be at it. The dead count as a group until they are collected,
 * which takes for ever where process 1 collects nobody, as in containers; here they do not count. Looks through /proc.
 */
bool hp_family_is_gone(const struct hp_family *);
void hp_family_signal(const struct hp_family *, int signal);
/* Bytes in a pipe that nobody has read; fd is either end. */
size_t hp_pipe_unread(int fd);
/* A reading end of the pipe whose writing end is fd, so that the bytes can be counted when that is closed; -1: none. */
int hp_pipe_other_end(int fd);
#endif

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
/* Its leader has ended; what that had started may still be at it, and may use the rest of the grace period. The dead
 * count as a group until they are collected, which takes for ever where process 1 collects nobody, as in containers. */
bool hp_group_is_gone(int group);
void hp_group_signal(int group, int signal);
#endif

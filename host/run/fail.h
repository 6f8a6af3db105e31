/* SPDX-License-Identifier: MIT
 * fail.h - the service `fail`: said on any thread, acted upon on the loop. */
#ifndef HP_FAIL_H
#define HP_FAIL_H
#include "graph/node.h"

enum { HP_FAIL_TEXT = 512 };

/* Before the module is opened. 0 or -ENOMEM. [loop] */
int hp_fail_open(struct hp_node *);
void hp_fail_close(struct hp_node *);
/* fail() of the contract; the first one counts until it is taken. [any] */
void hp_fail(const struct hp_host *, int err, const char *text);
/* True: it had failed, and why (text of HP_FAIL_TEXT bytes, may be empty) is given; err 0 = ended. [loop] */
bool hp_fail_take(struct hp_node *, int *err, char *text);
#endif

/* SPDX-License-Identifier: MIT
 * fail.c - a section says that it is done for. */
#include "fail.h"
#include "loop.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct hp_fail {
	atomic_bool pending;
	pthread_mutex_t lock; /* err, text */
	int err;
	char text[HP_FAIL_TEXT];
};

int hp_fail_open(struct hp_node *n)
{
	n->fail = calloc(1, sizeof *n->fail);
	if (!n->fail)
		return -ENOMEM;
	pthread_mutex_init(&n->fail->lock, NULL);
	return 0;
}

void hp_fail_close(struct hp_node *n)
{
	if (n->fail)
		pthread_mutex_destroy(&n->fail->lock);
	free(n->fail);
	n->fail = NULL;
}

void hp_fail(const struct hp_host *h, int err, const char *text)
{
	struct hp_node *n = hp_node_of(h);
	struct hp_fail *f = n->fail;
	pthread_mutex_lock(&f->lock);
	if (!atomic_load(&f->pending)) {
		f->err = err < 0 ? -err : err;
		snprintf(f->text, sizeof f->text, "%s", text ? text : "");
		atomic_store(&f->pending, true);
	}
	pthread_mutex_unlock(&f->lock);
	hp_loop_wake(n->run);
}

bool hp_fail_take(struct hp_node *n, int *err, char *text)
{
	struct hp_fail *f = n->fail;
	if (!f || !atomic_load(&f->pending))
		return false;
	pthread_mutex_lock(&f->lock);
	*err = f->err;
	snprintf(text, HP_FAIL_TEXT, "%s", f->text);
	atomic_store(&f->pending, false);
	pthread_mutex_unlock(&f->lock);
	return true;
}

/* SPDX-License-Identifier: MIT
 * changes.c - inotify on the folder of the device nodes: no polling while there is no device, and an access right
 * that udev grants a moment later is noticed too. Works without udev. */
#include "reader.h"
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

void hp_hid_changes_open(struct hp_hid_changes *c)
{
	c->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (c->fd >= 0 &&
	    inotify_add_watch(c->fd, hp_hid_dev_dir, IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_TO | IN_ONLYDIR) < 0)
		hp_hid_changes_close(c);
}

bool hp_hid_changes_read(struct hp_hid_changes *c)
{
	_Alignas(struct inotify_event) char buf[4096];
	bool ours = false;
	ssize_t n;
	while (c->fd >= 0 && (n = read(c->fd, buf, sizeof buf)) > 0)
		for (ssize_t at = 0; at < n;) {
			struct inotify_event e;
			memcpy(&e, buf + at, sizeof e);
			const char *name = buf + at + sizeof e;
			ours |= e.mask & IN_Q_OVERFLOW || (e.len && !strncmp(name, "hidraw", 6));
			if (e.mask & IN_IGNORED) {
				/* the folder itself is gone */
				hp_hid_changes_close(c);
				return true;
			}
			at += (ssize_t)(sizeof e + e.len);
		}
	return ours;
}

void hp_hid_changes_close(struct hp_hid_changes *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

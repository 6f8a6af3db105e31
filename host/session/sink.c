/* SPDX-License-Identifier: MIT
 * sink.c - where a session writer's bytes go: a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "writer.h"

struct file {
	int fd;
};

static int file_write(void *ctx, const void *data, size_t n)
{
	struct file *f = ctx;
	const uint8_t *p = data;
	while (n) {
		ssize_t did = write(f->fd, p, n);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return did < 0 ? -errno : -ENOSPC;
		p += did;
		n -= (size_t)did;
	}
	return 0;
}

static int file_sync(void *ctx)
{
	struct file *f = ctx;
	/* pipes and /dev/null cannot and need not */
	return fdatasync(f->fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
}

static int file_truncate(void *ctx, uint64_t size)
{
	struct file *f = ctx;
	if (ftruncate(f->fd, (off_t)size) < 0 || lseek(f->fd, (off_t)size, SEEK_SET) < 0)
		return -errno;
	return 0;
}

static int file_close(void *ctx)
{
	struct file *f = ctx;
	int r = close(f->fd) < 0 ? -errno : 0;
	free(f);
	return r;
}

int hps_file_sink(struct hps_sink *sink, const char *path, bool exclusive)
{
	struct file *f = malloc(sizeof *f);
	if (!f)
		return -ENOMEM;
	f->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : O_TRUNC), 0666);
	if (f->fd < 0) {
		int r = -errno;
		free(f);
		return r;
	}
	*sink = (struct hps_sink){ sizeof *sink, f, file_write, file_sync, file_truncate, file_close };
	return 0;
}

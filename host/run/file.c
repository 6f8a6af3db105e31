/* SPDX-License-Identifier: MIT
 * file.c - the `file` service: records to a file on the writer thread, whole or not at all.
 *
 * When the disk is full the file is cut back to the end of its last whole record, said once, and nothing more is
 * accepted. */
#include "file.h"
#include "base/log.h"
#include "complain.h"
#include "io/writer.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024, RING = 256 * 1024 };

struct hp_file { /* the loop's side */
	struct hp_file *next;
	struct hp_node *node;
	struct hp_sink *sink;
};
struct target { /* the writer thread's side */
	const struct hp_host *host;
	char *path;
	int fd;
	bool regular;
	off_t whole;      /* end of the last whole record that is in the file */
	uint64_t records; /* that are in the file                             */
	size_t used, nends;
	uint8_t buffer[BUFFER];
	uint32_t ends[1024]; /* where records end in the buffer                */
};

static int broken(struct target *t, size_t written, int err)
{
	char text[512];
	for (size_t i = 0; i < t->nends && t->ends[i] <= written; i++) {
		t->records++;
		if (i + 1 == t->nends || t->ends[i + 1] > written)
			t->whole += t->ends[i];
	}
	if (t->regular && ftruncate(t->fd, t->whole) < 0)
		hp_log(HP_LOG_WARN, NULL, "%s: its last record may be cut short: %s", t->path, strerror(errno));
	snprintf(text, sizeof text, "%.300s: %s; the file ends after record %llu", t->path, strerror(err),
	         (unsigned long long)t->records);
	t->host->fail(t->host, err, text);
	t->used = t->nends = 0;
	return -err;
}

static int write_out(void *ctx)
{
	struct target *t = ctx;
	size_t done = 0;
	while (done < t->used) {
		ssize_t n = write(t->fd, t->buffer + done, t->used - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return broken(t, done, errno);
		done += (size_t)n;
	}
	t->whole += (off_t)t->used;
	t->records += t->nends;
	t->used = t->nends = 0;
	return 0;
}

static int take_record(void *ctx, const void *record, size_t size)
{
	struct target *t = ctx;
	if (t->used + size > BUFFER || t->nends == sizeof t->ends / sizeof *t->ends) {
		int r = write_out(t);
		if (r < 0)
			return r;
	}
	memcpy(t->buffer + t->used, record, size); /* a record is below half a ring, see file_write */
	t->used += size;
	t->ends[t->nends++] = (uint32_t)t->used;
	return 0;
}

static void end(void *ctx, uint64_t lost)
{
	struct target *t = ctx;
	if (lost)
		hp_log(HP_LOG_WARN, NULL, "%s: %llu records were lost because the disk was too slow", t->path,
		       (unsigned long long)lost);
	if (close(t->fd) < 0) { /* some file systems only say now that they had no room */
		char text[512];
		snprintf(text, sizeof text, "%.300s: %s", t->path, strerror(errno));
		t->host->fail(t->host, errno, text);
	}
	free(t->path);
	free(t);
}

static const struct hp_sink_ops ops = { take_record, write_out, end };

struct hp_file *hp_file_open(const struct hp_host *h, const char *path, const char *mode)
{
	struct hp_node *n = hp_node_of(h);
	struct stat st;
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (*mode == 'a' ? O_APPEND : *mode == 'x' ? O_EXCL : O_TRUNC);
	struct hp_file *f = calloc(1, sizeof *f);
	struct target *t = calloc(1, sizeof *t);
	if (t) {
		t->path = strdup(path);
		/* a pipe without a reader is an error (ENXIO), not a start that hangs */
		t->fd = t->path ? open(path, flags | O_NONBLOCK, 0666) : -1;
		if (t->fd >= 0)
			fcntl(t->fd, F_SETFL, fcntl(t->fd, F_GETFL) & ~O_NONBLOCK);
	}
	if (f && t && t->path && t->fd >= 0 && !fstat(t->fd, &st)) {
		t->host = h;
		t->regular = S_ISREG(st.st_mode);
		t->whole = *mode == 'a' ? st.st_size : 0;
		f->node = n;
		f->sink = hp_sink_open(&ops, t, RING);
		if (f->sink) {
			f->next = n->handles.files;
			n->handles.files = f;
			return f;
		}
	}
	int err = errno ? errno : ENOMEM;
	char text[512];
	snprintf(text, sizeof text, "%.300s: %s", path, err == ENXIO ? "nobody reads from this pipe" : strerror(err));
	hp_complain(n, text);
	if (t && t->path && t->fd >= 0)
		close(t->fd);
	free(t ? t->path : NULL);
	free(t);
	free(f);
	errno = err;
	return NULL;
}

int hp_file_write(struct hp_file *f, const void *record, size_t size)
{
	return size > BUFFER ? -EMSGSIZE : hp_sink_push(f->sink, record, size);
}

void hp_file_close(struct hp_file *f)
{
	struct hp_file **at = &f->node->handles.files;
	while (*at && *at != f)
		at = &(*at)->next;
	if (*at)
		*at = f->next;
	hp_sink_close(f->sink);
	free(f);
}

void hp_file_close_all(struct hp_node *n)
{
	while (n->handles.files)
		hp_file_close(n->handles.files);
}

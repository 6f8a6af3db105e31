/* SPDX-License-Identifier: MIT
 * file.c - the `file` service: records to a file on the writer thread, whole or not at all.
 *
 * When the disk is full the file is cut back to the end of its last whole record, said once, and nothing more is
 * accepted. What is told at the end is what is in the file: the loop counts samples that go into the ring, the thread
 * those that it has written. */
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
#define NEXT UINT64_MAX /* in place of the sample: the record is the mode and the name of the file that comes next */

struct hp_file { /* the loop's side */
	struct hp_file *next;
	struct hp_node *node;
	struct hp_sink *sink;
	uint64_t last; /* the sample that the last record belonged to */
};
struct target { /* the writer thread's side */
	const struct hp_host *host;
	char *path;
	int fd; /* -1: the next one could not be opened */
	bool regular;
	off_t whole;      /* end of the last whole record that is in the file */
	uint64_t records; /* that are in the file                             */
	size_t used, nends;
	uint8_t buffer[BUFFER];
	uint32_t ends[1024]; /* where records end in the buffer                */
	uint64_t of[1024];   /* the samples they belong to; 0 = none           */
	uint64_t last;       /* the sample of the last record that was written */
};

/* The first n records of the buffer are in the file. A sample may take several records; it is stored with its last. */
static void written(struct target *t, size_t n)
{
	uint64_t samples = 0;
	for (size_t i = 0; i < n; i++) {
		samples += t->of[i] && t->of[i] != t->last;
		t->last = t->of[i];
	}
	if (samples && n < t->nends && t->of[n] == t->last)
		samples--; /* the rest of it is missing */
	t->records += n;
	if (samples && hp_writer_speak()) {
		atomic_fetch_add(&hp_node_of(t->host)->counts.stored, samples);
		hp_writer_spoken();
	}
}

static void fail(const struct target *t, int err, const char *text)
{
	if (!hp_writer_speak())
		return;
	t->host->fail(t->host, err, text);
	hp_writer_spoken();
}

static int broken(struct target *t, size_t done, int err)
{
	char text[512];
	size_t n = 0;
	while (n < t->nends && t->ends[n] <= done)
		n++;
	t->whole += n ? t->ends[n - 1] : 0;
	written(t, n);
	if (t->regular && ftruncate(t->fd, t->whole) < 0)
		hp_log(HP_LOG_WARN, NULL, "%s: its last record may be cut short: %s", t->path, strerror(errno));
	snprintf(text, sizeof text, "%.300s: %s; the file ends after record %llu", t->path, strerror(err),
	         (unsigned long long)t->records);
	fail(t, err, text);
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
		hp_writer_moved();
	}
	t->whole += (off_t)t->used;
	written(t, t->nends);
	t->used = t->nends = 0;
	return 0;
}

/* A pipe without a reader is an error (ENXIO), not a start that hangs. */
static int open_file(const char *path, char mode, struct stat *st)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (mode == 'a' ? O_APPEND : mode == 'x' ? O_EXCL : O_TRUNC);
	int fd = open(path, flags | O_NONBLOCK, 0666);
	if (fd < 0)
		return -errno;
	if (fstat(fd, st) < 0) {
		int r = -errno;
		close(fd);
		return r;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static const char *why_not(int err)
{
	return err == ENXIO ? "nobody reads from this pipe" : strerror(err);
}

static void take_file(struct target *t, int fd, const struct stat *st, char mode)
{
	t->fd = fd;
	t->regular = S_ISREG(st->st_mode);
	t->whole = mode == 'a' ? st->st_size : 0;
	t->records = 0;
}

/* Some file systems only say now that they had no room. */
static void close_file(const struct target *t)
{
	char text[512];
	if (t->fd < 0 || close(t->fd) == 0)
		return;
	snprintf(text, sizeof text, "%.300s: %s", t->path, strerror(errno));
	fail(t, errno, text);
}

static int next_file(struct target *t, const char *mode_and_path)
{
	char text[512], *path = strdup(mode_and_path + 1);
	struct stat st;
	int r = path ? write_out(t) : -ENOMEM;
	if (r < 0) {
		free(path);
		return r;
	}
	close_file(t);
	free(t->path);
	t->path = path;
	int fd = open_file(path, *mode_and_path, &st);
	if (fd >= 0) {
		take_file(t, fd, &st, *mode_and_path);
		return 0;
	}
	t->fd = -1;
	snprintf(text, sizeof text, "the next file cannot be opened: %.300s: %s", path, why_not(-fd));
	fail(t, -fd, text);
	return fd;
}

static int take_record(void *ctx, const void *record, size_t size)
{
	struct target *t = ctx;
	uint64_t of;
	memcpy(&of, record, sizeof of);
	record = (const uint8_t *)record + sizeof of;
	size -= sizeof of;
	if (of == NEXT)
		return next_file(t, record);
	if (t->used + size > BUFFER || t->nends == sizeof t->ends / sizeof *t->ends) {
		int r = write_out(t);
		if (r < 0)
			return r;
	}
	memcpy(t->buffer + t->used, record, size); /* a record is below half a ring, see file_write */
	t->used += size;
	t->of[t->nends] = of;
	t->ends[t->nends++] = (uint32_t)t->used;
	return 0;
}

static void end(void *ctx, uint64_t lost)
{
	struct target *t = ctx;
	if (lost)
		hp_log(HP_LOG_WARN, NULL, "%s: %llu records were lost because the queue to the disk was full", t->path,
		       (unsigned long long)lost);
	close_file(t);
	free(t->path);
	free(t);
}

static const struct hp_sink_ops ops = { take_record, write_out, end };

struct hp_file *hp_file_open(const struct hp_host *h, const char *path, const char *mode)
{
	struct hp_node *n = hp_node_of(h);
	struct stat st;
	struct hp_file *f = calloc(1, sizeof *f);
	struct target *t = calloc(1, sizeof *t);
	char *copy = strdup(path), text[512];
	int r = f && t && copy ? open_file(path, *mode, &st) : -ENOMEM;
	if (r >= 0) {
		t->host = h;
		t->path = copy;
		take_file(t, r, &st, *mode);
		f->node = n;
		f->sink = hp_sink_open(&ops, t, RING, path, &st);
		if (f->sink) {
			f->next = n->handles.files;
			n->handles.files = f;
			return f;
		}
		r = -errno;
		close(t->fd);
	}
	snprintf(text, sizeof text, "%.300s: %s", path, why_not(-r));
	hp_complain(n, text);
	free(copy);
	free(t);
	free(f);
	errno = -r;
	return NULL;
}

int hp_file_next(struct hp_file *f, const char *path, const char *mode)
{
	uint64_t of = NEXT;
	size_t size = strlen(path) + 1;
	uint8_t *to = hp_sink_reserve(f->sink, sizeof of + 1 + size);
	if (!to) {
		int err = hp_sink_error(f->sink);
		return err ? err : -ENOBUFS;
	}
	memcpy(to, &of, sizeof of);
	memcpy(to + sizeof of, mode, 1);
	memcpy(to + sizeof of + 1, path, size);
	hp_sink_commit(f->sink);
	return 0;
}

int hp_file_write(struct hp_file *f, const void *record, size_t size)
{
	struct hp_counts *c = &f->node->counts;
	/* another number for every sample that the module is given; before the first there are none */
	uint64_t of = f->node->opening ? 0 : c->out + c->dropped + f->node->trouble.total + 1;
	if (size > BUFFER)
		return -EMSGSIZE;
	uint8_t *to = hp_sink_reserve(f->sink, sizeof of + size);
	if (!to) {
		int err = hp_sink_error(f->sink);
		return err ? err : -ENOBUFS;
	}
	memcpy(to, &of, sizeof of);
	memcpy(to + sizeof of, record, size);
	hp_sink_commit(f->sink);
	c->handed += of && of != f->last;
	f->last = of;
	return 0;
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

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

struct hp_file { /* the loop's side */
	struct hp_file *next;
	struct hp_node *node;
	struct hp_sink *sink;
	uint64_t last; /* the sample that the last record belonged to */
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

static int take_record(void *ctx, const void *record, size_t size)
{
	struct target *t = ctx;
	uint64_t of;
	memcpy(&of, record, sizeof of);
	record = (const uint8_t *)record + sizeof of;
	size -= sizeof of;
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
	if (close(t->fd) < 0) { /* some file systems only say now that they had no room */
		char text[512];
		snprintf(text, sizeof text, "%.300s: %s", t->path, strerror(errno));
		fail(t, errno, text);
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
		f->sink = hp_sink_open(&ops, t, RING, path, &st);
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

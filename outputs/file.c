/* SPDX-License-Identifier: MIT
 * file.c - any encoding into a file, or into a row of numbered files that change by size or time.
 *
 * Files are written by the host's writer thread. Numbered files are never overwritten: a run goes on behind the highest
 * number it finds. */
#include "api/builtin.h"
#include "headpipe.h"
#include "io/framing.h"
#include "run/inside.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { RECORD_MAX = 64 * 1024, NAME_MAX_BYTES = 4096 };

struct file {
	const char *path;
	int framing, existing;
	double rotate_size; /* MiB, 0 = never */
	int64_t rotate_every, keep;

	const struct hp_host *host;
	struct hp_file *file;
	struct hp_timer *timer; /* ends a file by time, also when no sample comes */
	uint64_t number;        /* of the open file */
	uint64_t oldest;        /* of the first numbered file that is still there */
	uint64_t bytes, limit;
	int64_t deadline;
	uint64_t lost;
	bool broken, due;
	size_t stem; /* path up to where the number goes */
	uv_fs_t unlink;
	bool unlinking;
	char name[NAME_MAX_BYTES];
	uint8_t frame[RECORD_MAX];
};
static const struct hp_option options[] = {
	HP_OPT_PATH(struct file, path, NULL, "the file to write; with rotation a number goes before its last dot",
	            HP_LOCAL),
	HP_OPT_ENUM(struct file, framing, "lines", HP_FRAMINGS, HP_FRAMING_DOC),
	HP_OPT_ENUM(struct file, existing, "replace", "replace|append|refuse",
	            "what to do when the file is there already; numbered files are never touched"),
	HP_OPT_REAL(struct file, rotate_size, "0", 0, 1048576, "a new numbered file before this many MiB; 0 = never", 0,
	            "MiB", 0, 1024),
	HP_OPT_NS(struct file, rotate_every, "0s", 0, 31536000, "a new numbered file after this time; 0s = never"),
	HP_OPT_INT(struct file, keep, "0", 0, 1000000, "how many numbered files stay, older ones are deleted; 0 = all"),
	HP_OPT_END
};

static bool numbered(const struct file *f)
{
	return f->rotate_size > 0 || f->rotate_every > 0;
}

static int file_check(const void *self, const char **key, char *why, size_t size)
{
	const struct file *f = self;
	const char *bad = NULL;
	*key = "keep";
	if (f->keep && !numbered(f))
		bad = "needs rotate_size or rotate_every";
	if (strlen(f->path) > NAME_MAX_BYTES - 32) {
		*key = "path";
		bad = "too long";
	}
	/* below the length of the largest record a file could never take one */
	if (f->rotate_size > 0 && f->rotate_size * 1048576 < RECORD_MAX) {
		*key = "rotate_size";
		bad = "at least 0.0625 (64 KiB)";
	}
	if (!bad)
		return 0;
	snprintf(why, size, "%s", bad);
	return -EINVAL;
}

/* ---- numbered files --------------------------------------------------------------------------------------------- */

/* "motion.jsonl" becomes "motion.000001.jsonl", "motion" becomes "motion.000001". */
static size_t stem_of(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *dot = strrchr(base, '.');
	return dot && dot != base ? (size_t)(dot - path) : strlen(path);
}

static void name_of(struct file *f, uint64_t number, char *out)
{
	snprintf(out, NAME_MAX_BYTES, "%.*s.%06llu%s", (int)f->stem, f->path, (unsigned long long)number,
	         f->path + f->stem);
}

/* The highest number among the files that are there, and the lowest; 0 = none. */
static uint64_t highest(const struct file *f, uint64_t *lowest)
{
	char folder[NAME_MAX_BYTES];
	const char *slash = strrchr(f->path, '/'), *base = slash ? slash + 1 : f->path;
	size_t stem = (size_t)(f->path + f->stem - base), tail = strlen(f->path + f->stem);
	uint64_t best = 0;
	*lowest = 0;
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - f->path) + 1 : 1, slash ? f->path : ".");
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char *end;
		size_t n = strlen(e->d_name);
		if (n < stem + 2 + tail || strncmp(e->d_name, base, stem) || e->d_name[stem] != '.' ||
		    strcmp(e->d_name + n - tail, f->path + f->stem))
			continue;
		const char *digits = e->d_name + stem + 1;
		if (*digits < '0' || *digits > '9')
			continue;
		uint64_t number = strtoull(digits, &end, 10);
		if (end != e->d_name + n - tail || number == 0 || number >= UINT64_MAX)
			continue;
		if (number > best)
			best = number;
		if (!*lowest || number < *lowest)
			*lowest = number;
	}
	if (dir)
		closedir(dir);
	return best;
}

static void delete_old(struct file *);

static void unlinked(uv_fs_t *request)
{
	struct file *f = request->data;
	char text[NAME_MAX_BYTES + 128];
	if (request->result < 0 && request->result != UV_ENOENT) {
		snprintf(text, sizeof text, "%s: cannot be deleted: %s", request->path,
		         uv_strerror((int)request->result));
		f->host->log(f->host, HP_LOG_WARN, text);
	}
	uv_fs_req_cleanup(request);
	f->unlinking = false;
	delete_old(f);
}

/* One after the other, on libuv's thread pool: deleting a large file may take its time. */
static void delete_old(struct file *f)
{
	char name[NAME_MAX_BYTES];
	if (!f->keep || f->unlinking || f->number < f->oldest + (uint64_t)f->keep)
		return;
	name_of(f, f->oldest++, name);
	f->unlink.data = f;
	f->unlinking = uv_fs_unlink(hp_inside_loop(f->host), &f->unlink, name, unlinked) == 0;
}

/* ---- the open file ---------------------------------------------------------------------------------------------- */

/* Names the next file; the mode to open it with. */
static const char *next_name(struct file *f)
{
	static const char *const modes[] = { "w", "a", "x" };
	if (!numbered(f)) {
		snprintf(f->name, sizeof f->name, "%s", f->path);
		return modes[f->existing];
	}
	name_of(f, f->number + 1, f->name);
	return "x";
}

static void begun(struct file *f)
{
	f->number++;
	f->bytes = 0;
	f->due = false;
	if (f->rotate_every) {
		f->deadline = f->host->now(f->host) + f->rotate_every;
		f->host->timer_at(f->timer, f->deadline);
	}
	delete_old(f);
}

/* On the writer thread: what was sent so far still goes into the old file. */
static int rotate(struct file *f)
{
	const char *mode = next_name(f);
	int r = hp_inside_file_next(f->file, f->name, mode);
	if (r == 0)
		begun(f);
	return r;
}

static void time_is_up(void *arg)
{
	struct file *f = arg;
	f->due = true; /* an empty file goes on until its first record */
	if (f->bytes && !f->broken)
		rotate(f);
}

static int file_open(void *self, const struct hp_host *host)
{
	struct file *f = self;
	f->host = host;
	f->stem = stem_of(f->path);
	f->limit = f->rotate_size > 0 ? (uint64_t)(f->rotate_size * 1048576) : UINT64_MAX;
	if (f->rotate_every && !(f->timer = host->timer(host, time_is_up, f)))
		return -ENOMEM;
	if (numbered(f))
		f->number = highest(f, &f->oldest);
	if (!f->oldest)
		f->oldest = 1;
	const char *mode = next_name(f);
	f->file = host->file(host, f->name, mode);
	if (!f->file)
		return errno ? -errno : -EIO;
	begun(f);
	return 0;
}

static int trouble(struct file *f, long error)
{
	char text[NAME_MAX_BYTES + 256];
	f->lost++;
	if (error == -ENOBUFS) {
		if (f->lost == 1)
			f->host->log(f->host, HP_LOG_WARN,
			             "the queue to the disk is full: samples come faster than they are written, and "
			             "some are lost; their number is told at the end");
		return HP_DROP;
	}
	f->broken = true;
	snprintf(text, sizeof text, "%.*s: %s", NAME_MAX_BYTES, f->name, strerror((int)-error));
	f->host->fail(f->host, (int)-error, text);
	return HP_DROP;
}

static int file_send(void *self, const void *data, size_t size)
{
	struct file *f = self;
	if (f->broken) {
		f->lost++;
		return HP_DROP;
	}
	long n = hp_frame((enum hp_framing)f->framing, data, size, f->frame, sizeof f->frame);
	if (n < 0) {
		f->broken = true;
		f->lost++;
		f->host->fail(f->host, (int)-n, hp_framing_error(n));
		return HP_DROP;
	}
	if (f->bytes && (f->due || f->bytes + (uint64_t)n > f->limit)) {
		int r = rotate(f);
		if (r < 0)
			return trouble(f, r);
	}
	int r = f->host->file_write(f->file, f->frame, (size_t)n);
	if (r < 0)
		return trouble(f, r);
	f->bytes += (uint64_t)n;
	return 0;
}

/* SIGHUP: a log rotator has moved the file away; the new one starts under the old name. */
static int file_command(void *self, const char *verb)
{
	struct file *f = self;
	if (strcmp(verb, "reopen"))
		return -ENOTSUP;
	if (f->broken)
		return -EIO;
	if (numbered(f))
		return f->bytes ? rotate(f) : 0;
	int existing = f->existing;
	f->existing = 1; /* append: nothing that was written before is lost */
	int r = rotate(f);
	f->existing = existing;
	return r;
}

static void file_close(void *self)
{
	struct file *f = self;
	char text[NAME_MAX_BYTES + 128];
	if (!f->lost)
		return;
	snprintf(text, sizeof text, "%s: %llu samples lost", f->path, (unsigned long long)f->lost);
	f->host->log(f->host, HP_LOG_WARN, text);
}

HP_MODULE(file) = {
	HP_MODULE_HEAD,
	.kind = HP_OUTPUT,
	.traits = HP_OPENS_AGAIN,
	.name = "file",
	.summary = "any encoding into a file, or into numbered files by size or time",
	.options = options,
	.state_size = sizeof(struct file),
	.check = file_check,
	.open = file_open,
	.send = file_send,
	.command = file_command,
	.close = file_close,
	.encoding = "json",
};

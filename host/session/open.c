/* SPDX-License-Identifier: MIT
 * open.c - opens a session file, from a path or from memory, and follows one that grows. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader.h"

static int open_now(struct hps_reader *r)
{
	uint8_t magic[HPS_MAGIC_SIZE];
	size_t have = r->size < sizeof magic ? (size_t)r->size : sizeof magic;
	int n = hps_read_at(r, 0, magic, have);
	if (n < 0)
		return n;
	if (!have)
		return hps_error(r, -EBADMSG, "the file is empty");
	if (memcmp(magic, hps_magic, have))
		return hps_error(r, -EBADMSG, "not an MCAP file: the first bytes are not 89 4D 43 41 50 30 0D 0A");
	if (have < sizeof magic)
		return hps_error(r, -EBADMSG, "the file has only %zu bytes, less than the head of an MCAP file", have);
	r->ordered = r->ours = true;
	n = r->opts.recover ? 0 : hps_open_summary(r);
	if (n < 0)
		return n;
	if (n == 0) {
		hps_take_names(r);
		r->scan_at = r->look_from = HPS_MAGIC_SIZE;
		n = hps_scan(r);
		if (n < 0)
			return n;
	}
	return 0;
}

static int open_any(struct hps_reader **result, int fd, const void *memory, uint64_t size,
                    const struct hps_reader_options *opts, char *why, size_t why_size)
{
	struct hps_reader *r = calloc(1, sizeof *r);
	if (!r) {
		snprintf(why, why_size, "out of memory");
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	r->fd = fd;
	r->memory = memory;
	r->size = size;
	r->opts = (struct hps_reader_options)HPS_READER_OPTIONS;
	if (opts)
		memcpy(&r->opts, opts, opts->struct_size < sizeof r->opts ? opts->struct_size : sizeof r->opts);
	int code = open_now(r);
	if (code < 0) {
		snprintf(why, why_size, "%s", r->error[0] ? r->error : strerror(-code));
		hps_close(r);
		return code;
	}
	*result = r;
	return 0;
}

int hps_open(struct hps_reader **result, const char *path, const struct hps_reader_options *opts, char *why,
             size_t why_size)
{
	struct stat st = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		int e = fd < 0 ? errno : S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		snprintf(why, why_size, "%s", e == EINVAL ? "not a regular file" : strerror(e));
		if (fd >= 0)
			close(fd);
		return -e;
	}
	return open_any(result, fd, NULL, (uint64_t)st.st_size, opts, why, why_size);
}

int hps_open_memory(struct hps_reader **result, const void *data, size_t size, const struct hps_reader_options *opts,
                    char *why, size_t why_size)
{
	return open_any(result, -1, data, size, opts, why, why_size);
}

int hps_poll(struct hps_reader *r)
{
	struct stat st;
	if (r->finished || r->fd < 0)
		return 0;
	if (fstat(r->fd, &st) < 0) {
		int e = errno;
		return hps_error(r, -e, "cannot ask for the file's size: %s", strerror(e));
	}
	if ((uint64_t)st.st_size < r->scan_at)
		return hps_error(r, -ESTALE, "the file has become shorter");
	if ((uint64_t)st.st_size == r->size)
		return 0;
	r->size = (uint64_t)st.st_size;
	return hps_scan(r);
}

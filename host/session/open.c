/* SPDX-License-Identifier: MIT
 * open.c - opens and closes a session file, and the little things about a reader. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader.h"

int hps_error(struct hps_reader *r, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->error, sizeof r->error, fmt, ap);
	va_end(ap);
	return code;
}

void hps_note(struct hps_reader *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->note, sizeof r->note, fmt, ap);
	va_end(ap);
}

int hps_read_at(struct hps_reader *r, uint64_t offset, void *buf, size_t n)
{
	if (offset > r->size || n > r->size - offset)
		return hps_error(r, -EBADMSG, "the file ends at byte %llu, before the %zu bytes at %llu",
		                 (unsigned long long)r->size, n, (unsigned long long)offset);
	if (r->fd < 0) {
		memcpy(buf, r->memory + offset, n);
		return 0;
	}
	for (uint8_t *p = buf; n;) {
		ssize_t did = pread(r->fd, p, n, (off_t)offset);
		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0) {
			int e = errno;
			return hps_error(r, -e, "cannot read: %s", strerror(e));
		}
		if (!did)
			return hps_error(r, -EBADMSG, "the file has become shorter than %llu bytes",
			                 (unsigned long long)r->size);
		p += did;
		n -= (size_t)did;
		offset += (uint64_t)did;
	}
	return 0;
}

int hps_grow(void *array, size_t n, size_t *room, size_t size)
{
	void *p;
	if (n < *room)
		return 0;
	size_t more = *room ? *room * 2 : 8;
	memcpy(&p, array, sizeof p);
	p = realloc(p, more * size);
	if (!p)
		return -ENOMEM;
	memcpy(array, &p, sizeof p);
	*room = more;
	return 0;
}

bool hps_crc_agrees(const struct hps_reader *r, uint32_t stored, uint32_t have)
{
	return stored == have || (!stored && r->library[0] && strncmp(r->library, "headpipe", 8) != 0);
}

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
	r->ordered = true;
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

void hps_close(struct hps_reader *r)
{
	if (!r)
		return;
	hps_cache_free(r);
	for (size_t i = 0; i < r->nchannels; i++) {
		struct hps_rchannel *c = &r->channels[i];
		free(c->topic);
		free(c->encoding);
		free(c->metadata);
		free(c->fields);
		free(c->offsets);
		free(c->descriptor);
		free(c->spans);
	}
	for (size_t i = 0; i < r->nschemas; i++) {
		free(r->schemas[i].name);
		free(r->schemas[i].encoding);
		free(r->schemas[i].data);
	}
	for (size_t i = 0; i < r->nattachments + r->nmetadata; i++) {
		struct hps_place *p = i < r->nattachments ? &r->attachments[i] : &r->metadata[i - r->nattachments];
		free(p->name);
		free(p->media_type);
		free(p->map);
	}
	free(r->attachments);
	free(r->metadata);
	free(r->channels);
	free(r->schemas);
	free(r->chunks);
	free(r->by_id);
	free(r->scratch);
	hps_zstd_unpack_free(r->zstd);
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}

const char *hps_reader_error(const struct hps_reader *r)
{
	return r->error;
}

void hps_get_info(const struct hps_reader *r, struct hps_info *info)
{
	*info = (struct hps_info){
		.messages = r->messages,
		.chunks = r->nchunks,
		.file_size = r->size,
		.damaged_chunks = r->damaged,
		.finished = r->finished,
		.ordered = r->ordered,
		.library = r->library,
		.profile = r->profile,
		.note = r->note,
		.nchannels = r->nchannels,
		.nattachments = r->nattachments,
		.nmetadata = r->nmetadata,
	};
	for (size_t i = 0; i < r->nchunks; i++) {
		const struct hps_rchunk *c = &r->chunks[i];
		if (!i || c->start < info->start)
			info->start = c->start;
		if (!i || c->end > info->end)
			info->end = c->end;
	}
}

/* SPDX-License-Identifier: MIT
 * allow.c - how much memory a session file may take: a few hundred packed bytes can say that they are gigabytes. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "reader.h"

enum { RATIO_MAX = 1000 }; /* of all chunks together, once they are beyond the limit: no recording packs like that */
static const uint64_t most = 1ull << 30;

/* Half of what the machine has left, at most 1 GiB. */
static uint64_t usual_limit(void)
{
	char text[2048];
	int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *at = strstr(text, "MemAvailable:");
	uint64_t half = at ? strtoull(at + 13, NULL, 10) * 1024 / 2 : most;
	return half && half < most ? half : most;
}

static uint64_t limit_of(struct hps_reader *r)
{
	if (!r->opts.memory_bytes)
		r->opts.memory_bytes = usual_limit();
	return r->opts.memory_bytes;
}

static unsigned long long mib(uint64_t bytes)
{
	return (unsigned long long)((bytes + (1 << 20) - 1) >> 20);
}

int hps_allow_chunk(struct hps_reader *r, const struct hps_rchunk *c)
{
	bool packed = c->packing != HPS_PACK_NONE && c->packing != HPS_PACK_PLAIN;
	uint64_t limit = limit_of(r);
	if (c->raw > UINT32_MAX)
		return hps_error(r, -EFBIG, "the chunk at byte %llu is larger than 4 GiB",
		                 (unsigned long long)c->offset);
	/* places of messages in it, twice: in the file's order and by channel */
	uint64_t need = c->raw + (packed ? c->packed : 0) + c->raw / (HPS_HEAD + HPS_MESSAGE_HEAD) * 8;
	if (need > limit)
		return hps_error(
		    r, -EFBIG,
		    "the chunk at byte %llu takes %llu MiB of memory, %llu times its size in the file, and "
		    "the limit is %llu MiB",
		    (unsigned long long)c->offset, mib(need), (unsigned long long)(need / (c->length + 1)), mib(limit));
	return 0;
}

int hps_allow_all(struct hps_reader *r, uint64_t packed, uint64_t raw)
{
	r->packed_sum += packed;
	r->raw_sum = raw > UINT64_MAX - r->raw_sum ? UINT64_MAX : r->raw_sum + raw;
	if (r->raw_sum <= limit_of(r) || r->raw_sum / RATIO_MAX <= r->packed_sum)
		return 0;
	return hps_error(r, -EFBIG,
	                 "the chunks unpack to more than %llu MiB, %llu times their size in the file, and the limit is "
	                 "%llu MiB: this is no recording",
	                 mib(r->raw_sum) - 1, (unsigned long long)(r->raw_sum / (r->packed_sum + 1)),
	                 mib(r->opts.memory_bytes));
}

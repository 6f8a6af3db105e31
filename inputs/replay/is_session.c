/* SPDX-License-Identifier: MIT
 * is_session.c - whether a recording is a session file. */
#include "source.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool session_source_is(const char *path)
{
	static const uint8_t magic[8] = { 0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n' };
	uint8_t have[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not hang */
	if (fd < 0)
		return false;
	ssize_t n = read(fd, have, sizeof have);
	close(fd);
	return n > 0 && !memcmp(have, magic, (size_t)n);
}

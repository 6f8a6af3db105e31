/* SPDX-License-Identifier: MIT
 * child_system.c - pipes to a child, and the processes that it has started. */
#define _GNU_SOURCE /* pipe2, F_SETPIPE_SZ, memmem */
#include "child_system.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

int hp_child_pipes(int child[3], int ours[3], bool input, bool output, size_t input_size)
{
	for (int i = 0; i < 3; i++) {
		int ends[2];
		if ((i == 0 && !input) || (i == 1 && !output))
			continue;
		if (pipe2(ends, O_CLOEXEC) < 0)
			return -errno;
		child[i] = ends[i ? 1 : 0];
		ours[i] = ends[i ? 0 : 1];
		if (fcntl(ours[i], F_SETFL, O_NONBLOCK) < 0)
			return -errno;
	}
	if (ours[0] >= 0 && input_size) /* refused beyond the system's limit: then it keeps the usual 64 KiB */
		(void)fcntl(ours[0], F_SETPIPE_SZ, (int)input_size);
	return 0;
}

/* ---- a family --------------------------------------------------------------------------------------------------- */

extern char **environ;
enum { ENVIRONMENT = 256 * 1024 }; /* what is looked at of one process */

void hp_family_new(struct hp_family *f)
{
	static unsigned starts; /* loop */
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	f->group = 0;
	snprintf(f->mark, sizeof f->mark, "HEADPIPE_CHILD=%d.%lld.%u", (int)getpid(),
	         (long long)now.tv_sec * 1000000000 + now.tv_nsec, ++starts);
}

char **hp_family_environment(const struct hp_family *f)
{
	size_t n = 0, k = 0;
	while (environ && environ[n])
		n++;
	char **out = calloc(n + 2, sizeof *out);
	if (!out)
		return NULL;
	out[k++] = (char *)(uintptr_t)f->mark;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "HEADPIPE_CHILD=", 15) != 0)
			out[k++] = environ[i];
	return out;
}

static size_t read_all(const char *id, const char *what, char *out, size_t size)
{
	char path[64];
	size_t used = 0;
	ssize_t n = 1;
	snprintf(path, sizeof path, "/proc/%.20s/%s", id, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && used < size - 1 && (n = read(fd, out + used, size - 1 - used)) > 0)
		used += (size_t)n;
	if (fd >= 0)
		close(fd);
	out[used] = 0;
	return used;
}

/* Does process `id`, a name in /proc, belong to the family, and live? room: ENVIRONMENT bytes. */
static bool is_of(const struct hp_family *f, const char *id, char *room)
{
	char text[512], state;
	int group;
	read_all(id, "stat", text, sizeof text);
	const char *behind_name = strrchr(text, ')');
	if (!behind_name || sscanf(behind_name, ") %c %*d %d", &state, &group) != 2 || state == 'Z' || state == 'X')
		return false;
	if (f->group && group == f->group)
		return true;
	size_t n = read_all(id, "environ", room, ENVIRONMENT);
	return memmem(room, n + 1, f->mark, strlen(f->mark) + 1);
}

/* Sends a signal to each one outside the group; 0 = only looks. How many there are, or one when that is not known. */
static int each(const struct hp_family *f, int signal)
{
	int found = 0;
	char *room = malloc(ENVIRONMENT);
	DIR *proc = room ? opendir("/proc") : NULL;
	for (struct dirent *e; proc && (signal || !found) && (e = readdir(proc));) {
		if (*e->d_name < '1' || *e->d_name > '9' || !is_of(f, e->d_name, room))
			continue;
		found++;
		if (!signal)
			continue;
		kill((pid_t)strtol(e->d_name, NULL, 10), signal);
		if (signal == SIGTERM) /* one that was stopped cannot hear it otherwise */
			kill((pid_t)strtol(e->d_name, NULL, 10), SIGCONT);
	}
	if (!proc)
		found = 1;
	else
		closedir(proc);
	free(room);
	return found;
}

bool hp_family_is_gone(const struct hp_family *f)
{
	return each(f, 0) == 0;
}

void hp_family_signal(const struct hp_family *f, int signal)
{
	if (f->group)
		kill(-f->group, signal);
	if (f->group && signal == SIGTERM)
		kill(-f->group, SIGCONT);
	struct hp_family others = *f;
	others.group = 0;
	/* one that forks while it is looked for has a child that is not found; the second look finds it */
	for (int i = 0; i < 3 && each(&others, signal) && signal == SIGKILL; i++)
		;
}

/* ---- what nobody has read ---------------------------------------------------------------------------------------- */

size_t hp_pipe_unread(int fd)
{
	int n = 0;
	return fd >= 0 && ioctl(fd, FIONREAD, &n) == 0 && n > 0 ? (size_t)n : 0;
}

int hp_pipe_other_end(int fd)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

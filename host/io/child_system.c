/* SPDX-License-Identifier: MIT
 * child_system.c - pipes to a child, and the group of processes that it leads. */
#define _GNU_SOURCE /* pipe2, F_SETPIPE_SZ */
#include "child_system.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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

/* Does process `id`, a name in /proc, live in this group? */
static bool lives_in(const char *id, int group)
{
	char path[64], text[512], state;
	int its_group;
	snprintf(path, sizeof path, "/proc/%.20s/stat", id);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	const char *behind_name = strrchr(text, ')');
	return behind_name && sscanf(behind_name, ") %c %*d %d", &state, &its_group) == 2 && its_group == group &&
	       state != 'Z' && state != 'X';
}

bool hp_group_is_gone(int group)
{
	if (kill(-group, 0) < 0 && errno == ESRCH)
		return true;
	DIR *proc = opendir("/proc");
	bool alive = !proc;
	for (struct dirent *e; !alive && (e = readdir(proc));)
		alive = *e->d_name >= '1' && *e->d_name <= '9' && lives_in(e->d_name, group);
	if (proc)
		closedir(proc);
	return !alive;
}

void hp_group_signal(int group, int signal)
{
	kill(-group, signal);
	if (signal == SIGTERM) /* one that was stopped cannot hear it otherwise */
		kill(-group, SIGCONT);
}

/* SPDX-License-Identifier: MIT
 * node.c - looks at a hidraw node before hidapi does: gives an errno instead of a text, and keeps anything that is
 * no hidraw node away from hid_open_path() of hidapi 0.13, which would use freed memory. */
#include "hid.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/hidraw.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int hp_hid_node_open(const char *path)
{
	struct stat st;
	int size = 0;
	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISCHR(st.st_mode))
		return -ENOTTY;
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, HIDIOCGRDESCSIZE, &size) < 0) {
		int err = errno;
		close(fd);
		return -err;
	}
	return fd;
}

int hp_hid_node_check(const char *path)
{
	int fd = hp_hid_node_open(path);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

ssize_t hp_hid_node_read(int fd, void *data, size_t size)
{
	return read(fd, data, size);
}

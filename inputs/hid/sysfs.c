/* SPDX-License-Identifier: MIT
 * sysfs.c - reads /sys/bus/hid/devices: who is there, which driver has it, its node and its report descriptor. */
#include "sysfs.h"
#include "base/utf8.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *hp_hid_sys_dir = "/sys", *hp_hid_dev_dir = "/dev";

enum { PATH = 1024 };

int hp_hid_sysfs_descriptor(const char *file, uint8_t *data, size_t room)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	size_t size = 0;
	ssize_t n = 0;
	while (size < room && (n = read(fd, data + size, room - size)) > 0)
		size += (size_t)n;
	int err = n < 0 ? errno : 0;
	close(fd);
	return err ? -err : (int)size;
}

/* "%s/..." into a path buffer; what does not fit is cut, and then does not exist */
static void __attribute__((format(printf, 2, 3))) path_of(char path[PATH], const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(path, PATH, fmt, ap);
	va_end(ap);
}

void hp_hid_text_copy(char *to, size_t size, const char *from)
{
	size_t n = 0, left = strlen(from);
	while (left) {
		size_t k = hp_utf8_char(from, left);
		/* c2 80 to c2 9f are control characters too: some terminals obey them */
		bool c1 = k == 2 && (unsigned char)from[0] == 0xc2 && (unsigned char)from[1] < 0xa0;
		bool bad = !k || c1 || (unsigned char)*from < 0x20 || *from == 0x7f;
		if (!k)
			k = 1;
		size_t written = bad ? 1 : k;
		if (n + written >= size)
			break;
		memcpy(to + n, bad ? "?" : from, written);
		n += written;
		from += k;
		left -= k;
	}
	to[n] = 0;
}

/* The lines of a device's uevent file: HID_ID=0005:0000054C:00000DF0, HID_NAME=..., HID_UNIQ=... */
static int read_uevent(struct hp_hid_facts *f, const char *dir)
{
	char path[PATH], line[512];
	path_of(path, "%s/uevent", dir);
	FILE *in = fopen(path, "re");
	if (!in)
		return -errno;
	while (fgets(line, sizeof line, in)) {
		line[strcspn(line, "\n")] = 0;
		unsigned bus, vendor, product;
		if (sscanf(line, "HID_ID=%x:%x:%x", &bus, &vendor, &product) == 3) {
			f->bus = bus;
			f->vendor = (uint16_t)vendor;
			f->product = (uint16_t)product;
		} else if (!strncmp(line, "HID_NAME=", 9) && !f->name[0]) {
			hp_hid_text_copy(f->name, sizeof f->name, line + 9);
		} else if (!strncmp(line, "HID_UNIQ=", 9) && !f->serial[0]) {
			hp_hid_text_copy(f->serial, sizeof f->serial, line + 9);
		}
	}
	fclose(in);
	return 0;
}

static void read_link_name(char *to, size_t size, const char *path)
{
	char target[PATH];
	ssize_t n = readlink(path, target, sizeof target - 1);
	if (n < 0)
		return;
	target[n] = 0;
	const char *slash = strrchr(target, '/');
	hp_hid_text_copy(to, size, slash ? slash + 1 : target);
}

/* dir: the device's folder, followed through links */
static int read_device(struct hp_hid_facts *f, const char *dir)
{
	char path[PATH];
	int rc = read_uevent(f, dir);
	if (rc < 0)
		return rc;
	path_of(path, "%s/driver", dir);
	read_link_name(f->driver, sizeof f->driver, path);
	path_of(path, "%s/report_descriptor", dir);
	int n = hp_hid_sysfs_descriptor(path, f->descriptor, sizeof f->descriptor);
	f->descriptor_size = (uint16_t)(n > 0 ? n : 0);
	return 0;
}

int hp_hid_sysfs_of_node(struct hp_hid_facts *f, const char *path)
{
	char dir[PATH];
	const char *slash = strrchr(path, '/');
	path_of(dir, "%s/class/hidraw/%s/device", hp_hid_sys_dir, slash ? slash + 1 : path);
	read_link_name(f->id, sizeof f->id, dir);
	return read_device(f, dir);
}

static void find_node(struct hp_hid_facts *f, const char *dir)
{
	char path[PATH];
	path_of(path, "%s/hidraw", dir);
	DIR *d = opendir(path);
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));)
		if (!strncmp(e->d_name, "hidraw", 6)) {
			path_of(path, "%s/%s", hp_hid_dev_dir, e->d_name);
			hp_hid_text_copy(f->path, sizeof f->path, path);
		}
	closedir(d);
}

/* "0005:054C:0DF0.0003": the last part counts up with every device the kernel meets */
static int by_instance(const void *a, const void *b)
{
	const struct hp_hid_facts *x = a, *y = b;
	const char *dx = strrchr(x->id, '.'), *dy = strrchr(y->id, '.');
	unsigned long nx = dx ? strtoul(dx + 1, NULL, 16) : 0, ny = dy ? strtoul(dy + 1, NULL, 16) : 0;
	return nx < ny ? -1 : nx > ny;
}

size_t hp_hid_sysfs_list(struct hp_hid_facts **list)
{
	char path[PATH];
	size_t n = 0, room = 0;
	*list = NULL;
	path_of(path, "%s/bus/hid/devices", hp_hid_sys_dir);
	DIR *d = opendir(path);
	if (!d)
		return 0;
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		if (n == room) {
			struct hp_hid_facts *more = realloc(*list, (room = room ? 2 * room : 8) * sizeof **list);
			if (!more)
				break;
			*list = more;
		}
		struct hp_hid_facts *f = *list + n;
		memset(f, 0, sizeof *f);
		hp_hid_text_copy(f->id, sizeof f->id, e->d_name);
		path_of(path, "%s/bus/hid/devices/%s", hp_hid_sys_dir, e->d_name);
		if (read_device(f, path) < 0)
			continue; /* went away meanwhile */
		find_node(f, path);
		n++;
	}
	closedir(d);
	if (n)
		qsort(*list, n, sizeof **list, by_instance);
	else
		free(*list), *list = NULL;
	return n;
}

const char *hp_hid_bus_name(unsigned bus)
{
	switch (bus) {
	case BUS_USB:
		return "USB";
	case BUS_BLUETOOTH:
		return "Bluetooth";
	case BUS_I2C:
		return "I2C";
	case BUS_SPI:
		return "SPI";
	case BUS_VIRTUAL:
		return "virtual";
	default:
		return "another bus";
	}
}

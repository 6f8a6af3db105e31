/* SPDX-License-Identifier: MIT
 * fake_hidapi.h - hidapi, the node check and sysfs, all made up: devices that a test plugs in and scripts. The test
 * program defines hidapi's own functions, so the product is linked unchanged. Header only; included once. */
#ifndef FAKE_HIDAPI_H
#define FAKE_HIDAPI_H
#include "inputs/hid/hid.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

enum { FAKE_DEVICES = 4, FAKE_QUEUE = 64, FAKE_REPORT = 64 };

struct fake_device {
	/* what the test says about it */
	const char *name, *serial;
	uint16_t vendor, product;
	const uint8_t *descriptor;
	size_t descriptor_size;
	uint8_t feature[4][48]; /* by report ID, with the ID byte */
	int feature_size[4];    /* with the ID byte; 0 = there is none */
	bool refuse_get, refuse_set, ignore_set, no_zero_byte;
	int open_errors;    /* this many hid_open_path() fail */
	int node_error;     /* answer of the node check */
	bool empty_reads;   /* ready but nothing to read, for ever */
	bool no_node;       /* the kernel made none: sysfs alone knows it */
	const char *driver; /* NULL = hid-generic */
	/* what the test may look at */
	int node, opens, closes, reads, gets, sets;
	uint8_t last_set[8][48];
	size_t last_set_size[8]; /* the last eight writes: [sets % 8] is the next */
	/* private */
	bool plugged;
	unsigned session; /* grows with every plug: handles of an older one are dead */
	int event;        /* eventfd: something to read, or gone */
	struct {
		uint8_t data[FAKE_REPORT];
		int size;
	} queue[FAKE_QUEUE];
	int head, tail;
};
struct hid_device_ {
	struct fake_device *device;
	unsigned session;
	wchar_t error[64];
};

static struct fake_device fake_devices[FAKE_DEVICES];
static pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
static char fake_root[32], fake_sys[40], fake_dev[40];
static int fake_handles; /* open ones */
static wchar_t fake_global_error[64];

static void fake_shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void fake_shell(const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (system(line) != 0)
		abort();
}
static void fake_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

static void fake_setup(void)
{
	memset(fake_devices, 0, sizeof fake_devices);
	strcpy(fake_root, "/tmp/headpipe-hid-XXXXXX");
	if (!mkdtemp(fake_root))
		abort();
	snprintf(fake_sys, sizeof fake_sys, "%s/sys", fake_root);
	snprintf(fake_dev, sizeof fake_dev, "%s/dev", fake_root);
	fake_shell("mkdir -p %s/bus/hid/devices %s/class/hidraw %s", fake_sys, fake_sys, fake_dev);
	for (int i = 0; i < FAKE_DEVICES; i++)
		fake_devices[i].event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	hp_hid_sys_dir = fake_sys;
	hp_hid_dev_dir = fake_dev;
}
static void fake_teardown(void)
{
	for (int i = 0; i < FAKE_DEVICES; i++)
		close(fake_devices[i].event);
	fake_shell("rm -rf %s", fake_root);
}

/* Appears as a node; its sysfs files first, as in the kernel. */
static void fake_plug(struct fake_device *d, int node)
{
	char path[256], target[512], text[512];
	pthread_mutex_lock(&fake_lock);
	d->session++;
	d->node = node;
	d->head = d->tail = 0;
	pthread_mutex_unlock(&fake_lock);
	snprintf(path, sizeof path, "%s/bus/hid/devices/0005:%04X:%04X.%04X", fake_sys, d->vendor, d->product,
	         node + 1);
	mkdir(path, 0755);
	if (!d->no_node) {
		snprintf(target, sizeof target, "%s/hidraw", path);
		mkdir(target, 0755);
		snprintf(target, sizeof target, "%s/hidraw/hidraw%d", path, node);
		mkdir(target, 0755);
	}
	int n = snprintf(text, sizeof text, "DRIVER=hid-generic\nHID_ID=0005:%08X:%08X\nHID_NAME=%s\nHID_UNIQ=%s\n",
	                 d->vendor, d->product, d->name ? d->name : "", d->serial ? d->serial : "");
	snprintf(target, sizeof target, "%s/uevent", path);
	fake_file(target, text, (size_t)n);
	snprintf(target, sizeof target, "%s/report_descriptor", path);
	fake_file(target, d->descriptor, d->descriptor_size);
	snprintf(target, sizeof target, "%s/driver", path);
	snprintf(text, sizeof text, "../../drivers/%s", d->driver ? d->driver : "hid-generic");
	if (symlink(text, target) < 0)
		abort();
	if (d->no_node)
		return;
	snprintf(target, sizeof target, "%s/class/hidraw/hidraw%d", fake_sys, node);
	mkdir(target, 0755);
	snprintf(target, sizeof target, "%s/class/hidraw/hidraw%d/device", fake_sys, node);
	if (symlink(path, target) < 0)
		abort();
	pthread_mutex_lock(&fake_lock);
	d->plugged = true;
	pthread_mutex_unlock(&fake_lock);
	snprintf(target, sizeof target, "%s/hidraw%d", fake_dev, node);
	fake_file(target, "", 0);
}
static void fake_wake(struct fake_device *d)
{
	uint64_t one = 1;
	if (write(d->event, &one, sizeof one) < 0)
		abort();
}
static void fake_unplug(struct fake_device *d)
{
	char dir[256], path[512];
	pthread_mutex_lock(&fake_lock);
	d->plugged = false;
	fake_wake(d);
	pthread_mutex_unlock(&fake_lock);
	snprintf(path, sizeof path, "%s/hidraw%d", fake_dev, d->node);
	int rc = unlink(path);
	snprintf(path, sizeof path, "%s/class/hidraw/hidraw%d/device", fake_sys, d->node);
	rc |= unlink(path);
	snprintf(path, sizeof path, "%s/class/hidraw/hidraw%d", fake_sys, d->node);
	rc |= rmdir(path);
	snprintf(dir, sizeof dir, "%s/bus/hid/devices/0005:%04X:%04X.%04X", fake_sys, d->vendor, d->product,
	         d->node + 1);
	static const char *const files[] = { "uevent", "report_descriptor", "driver" };
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, files[i]);
		rc |= unlink(path);
	}
	snprintf(path, sizeof path, "%s/hidraw/hidraw%d", dir, d->node);
	rc |= rmdir(path);
	snprintf(path, sizeof path, "%s/hidraw", dir);
	rc |= rmdir(path) | rmdir(dir);
	if (rc)
		abort();
}
/* One input report; when 64 wait, the new one is dropped, as in the kernel. */
static void fake_report(struct fake_device *d, const void *data, int size)
{
	pthread_mutex_lock(&fake_lock);
	if (d->head - d->tail < FAKE_QUEUE - 1) {
		memcpy(d->queue[d->head % FAKE_QUEUE].data, data, (size_t)size);
		d->queue[d->head++ % FAKE_QUEUE].size = size;
		fake_wake(d);
	}
	pthread_mutex_unlock(&fake_lock);
}

/* ---- the node check, and hidapi ---------------------------------------------------------------- */

static struct fake_device *fake_at(const char *path)
{
	const char *slash = strrchr(path, '/');
	for (int i = 0; i < FAKE_DEVICES; i++)
		if (fake_devices[i].plugged && slash && !strncmp(slash, "/hidraw", 7) &&
		    atoi(slash + 7) == fake_devices[i].node)
			return &fake_devices[i];
	return NULL;
}
int hp_hid_node_check(const char *path)
{
	pthread_mutex_lock(&fake_lock);
	struct fake_device *d = fake_at(path);
	int rc = d ? d->node_error : -ENOENT;
	pthread_mutex_unlock(&fake_lock);
	return rc;
}
/* Our own descriptor is a second eventfd with the same queue; without `fake_nodes` hidapi alone reads. */
static bool fake_nodes;
static struct {
	struct fake_device *device;
	unsigned session;
} fake_fds[1024];
int hp_hid_node_open(const char *path)
{
	int fd = -ENOTSUP;
	pthread_mutex_lock(&fake_lock);
	struct fake_device *d = fake_at(path);
	if (fake_nodes && d && (fd = dup(d->event)) >= 0) {
		fake_fds[fd].device = d;
		fake_fds[fd].session = d->session;
		if (d->empty_reads)
			fake_wake(d);
	}
	pthread_mutex_unlock(&fake_lock);
	return fd;
}
ssize_t hp_hid_node_read(int fd, void *data, size_t room)
{
	struct fake_device *d = fake_fds[fd].device;
	ssize_t n = -1;
	int err = EAGAIN;
	uint64_t count;
	pthread_mutex_lock(&fake_lock);
	d->reads++;
	if (read(d->event, &count, sizeof count) < 0 && errno != EAGAIN)
		abort();
	if (!d->plugged || fake_fds[fd].session != d->session) {
		err = EIO;
		fake_wake(d);
	} else if (d->head != d->tail) {
		n = d->queue[d->tail % FAKE_QUEUE].size;
		n = (size_t)n < room ? n : (ssize_t)room;
		memcpy(data, d->queue[d->tail++ % FAKE_QUEUE].data, (size_t)n);
	}
	if (d->head != d->tail || d->empty_reads)
		fake_wake(d);
	pthread_mutex_unlock(&fake_lock);
	errno = err;
	return n;
}
int hid_init(void)
{
	return 0;
}
static wchar_t *fake_wide(const char *text)
{
	wchar_t *w = calloc(strlen(text) + 1, sizeof *w);
	for (size_t i = 0; w && text[i]; i++)
		w[i] = (unsigned char)text[i];
	return w;
}
struct hid_device_info *hid_enumerate(unsigned short vendor, unsigned short product)
{
	struct hid_device_info *list = NULL;
	(void)vendor;
	(void)product;
	pthread_mutex_lock(&fake_lock);
	/* highest node first, and each device twice: one entry per collection */
	for (int i = 0; i < 2 * FAKE_DEVICES; i++) {
		const struct fake_device *d = &fake_devices[i / 2];
		if (!d->plugged)
			continue;
		char path[128];
		snprintf(path, sizeof path, "/dev/hidraw%d", d->node);
		struct hid_device_info *info = calloc(1, sizeof *info);
		info->path = strdup(path);
		info->vendor_id = d->vendor;
		info->product_id = d->product;
		info->product_string = d->name ? fake_wide(d->name) : NULL;
		info->serial_number = d->serial ? fake_wide(d->serial) : NULL;
		info->next = list;
		list = info;
	}
	pthread_mutex_unlock(&fake_lock);
	return list;
}
void hid_free_enumeration(struct hid_device_info *list)
{
	while (list) {
		struct hid_device_info *next = list->next;
		free(list->path);
		free(list->product_string);
		free(list->serial_number);
		free(list);
		list = next;
	}
}
hid_device *hid_open_path(const char *path)
{
	hid_device *h = NULL;
	pthread_mutex_lock(&fake_lock);
	struct fake_device *d = fake_at(path);
	if (!d || d->open_errors > 0) {
		if (d)
			d->open_errors--;
		wcscpy(fake_global_error, L"Failed to open the node: Device or resource busy");
	} else if ((h = calloc(1, sizeof *h))) {
		h->device = d;
		h->session = d->session;
		d->opens++;
		fake_handles++;
		d->head = d->tail = 0;
	}
	pthread_mutex_unlock(&fake_lock);
	return h;
}
void hid_close(hid_device *h)
{
	pthread_mutex_lock(&fake_lock);
	h->device->closes++;
	fake_handles--;
	pthread_mutex_unlock(&fake_lock);
	free(h);
}
const wchar_t *hid_error(hid_device *h)
{
	return h ? h->error : fake_global_error;
}
/* -1 with the error set when the device behind the handle is gone; call with the lock */
static int fake_alive(hid_device *h)
{
	if (h->device->plugged && h->session == h->device->session)
		return 0;
	wcscpy(h->error, L"Input/output error");
	return -1;
}
int hid_read_timeout(hid_device *h, unsigned char *data, size_t room, int ms)
{
	struct fake_device *d = h->device;
	for (;;) {
		int n = 0;
		pthread_mutex_lock(&fake_lock);
		d->reads++;
		uint64_t count;
		if (read(d->event, &count, sizeof count) < 0 && errno != EAGAIN)
			abort();
		if (fake_alive(h) < 0)
			n = -1;
		else if (d->head != d->tail) {
			n = d->queue[d->tail % FAKE_QUEUE].size;
			n = (size_t)n < room ? n : (int)room;
			memcpy(data, d->queue[d->tail++ % FAKE_QUEUE].data, (size_t)n);
			if (d->head != d->tail)
				fake_wake(d);
		}
		bool empty = d->empty_reads;
		pthread_mutex_unlock(&fake_lock);
		if (n || empty || !ms)
			return n;
		struct pollfd p = { d->event, POLLIN, 0 };
		int rc = poll(&p, 1, ms);
		if (rc < 0) {
			wcscpy(h->error, L"Interrupted system call");
			return -1;
		}
		if (rc == 0)
			return 0;
	}
}
int hid_get_feature_report(hid_device *h, unsigned char *data, size_t room)
{
	struct fake_device *d = h->device;
	unsigned id = data[0];
	int n = -1;
	pthread_mutex_lock(&fake_lock);
	d->gets++;
	if (fake_alive(h) == 0 && id < 4 && d->feature_size[id] && !d->refuse_get) {
		size_t skip = d->no_zero_byte && id == 0;
		n = d->feature_size[id] - (int)skip;
		n = (size_t)n < room ? n : (int)room;
		memcpy(data, d->feature[id] + skip, (size_t)n);
	} else if (d->plugged) {
		wcscpy(h->error, L"Input/output error");
	}
	pthread_mutex_unlock(&fake_lock);
	return n;
}
int hid_send_feature_report(hid_device *h, const unsigned char *data, size_t size)
{
	struct fake_device *d = h->device;
	int n = -1;
	pthread_mutex_lock(&fake_lock);
	d->last_set_size[d->sets % 8] = size;
	memcpy(d->last_set[d->sets++ % 8], data, size < 48 ? size : 48);
	if (fake_alive(h) == 0 && data[0] < 4 && (int)size == d->feature_size[data[0]] && !d->refuse_set) {
		if (!d->ignore_set)
			memcpy(d->feature[data[0]], data, size);
		n = (int)size;
	} else if (d->plugged) {
		wcscpy(h->error, L"Broken pipe");
	}
	pthread_mutex_unlock(&fake_lock);
	return n;
}
#endif

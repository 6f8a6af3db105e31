/* SPDX-License-Identifier: MIT
 * preload.c - a hidraw node that is a socket, for whole programs that are started with LD_PRELOAD: the bench of the
 * live path and the test that counts its system calls.
 *
 *   FAKE_NODE=FD     the descriptor that becomes /dev/hidraw0: one packet is one report
 *   FAKE_ROOT=DIR    what stands for /sys (DIR/sys/...) and /dev
 *   FAKE_COUNTS=FILE at exit: one line `calls NAME NUMBER` for the calls of the live path since the 100th report
 *
 * hidapi is replaced whole: it lists one device and answers feature reports; its own reading gets nothing. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hidapi/hidapi.h>
#include <linux/hidraw.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))
static atomic_int fake_fd = -1;
enum { WAIT, READ, SEND, WRITE, CALLS };
static const char *const names[CALLS] = { "wait", "read", "send", "write" };
static atomic_ullong calls[CALLS], at_start[CALLS], reports;

static void count(int what)
{
	atomic_fetch_add_explicit(&calls[what], 1, memory_order_relaxed);
}

static const char *elsewhere(const char *path, char *buf, size_t size)
{
	const char *root = getenv("FAKE_ROOT");
	if (!root || (strncmp(path, "/sys/", 5) && strncmp(path, "/dev/hidraw", 11)))
		return path;
	snprintf(buf, size, "%s%s", root, path);
	return buf;
}
static int node_of(const char *path)
{
	const char *fd = getenv("FAKE_NODE");
	return fd && !strcmp(path, "/dev/hidraw0") ? atoi(fd) : -1;
}

int open(const char *path, int flags, ...)
{
	char buf[1024];
	va_list ap;
	va_start(ap, flags);
	int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
	va_end(ap);
	int fd = node_of(path);
	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 10);
		atomic_store(&fake_fd, fd);
		return fd;
	}
	return REAL(open)(elsewhere(path, buf, sizeof buf), flags, mode);
}
int stat(const char *restrict path, struct stat *restrict st)
{
	char buf[1024];
	return REAL(stat)(node_of(path) >= 0 ? "/dev/null" : elsewhere(path, buf, sizeof buf), st);
}
FILE *fopen(const char *restrict path, const char *restrict mode)
{
	char buf[1024];
	return REAL(fopen)(elsewhere(path, buf, sizeof buf), mode);
}
DIR *opendir(const char *path)
{
	char buf[1024];
	return REAL(opendir)(elsewhere(path, buf, sizeof buf));
}
ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
	char buf[1024];
	return REAL(readlink)(elsewhere(path, buf, sizeof buf), to, size);
}
int ioctl(int fd, unsigned long what, ...)
{
	va_list ap;
	va_start(ap, what);
	void *arg = va_arg(ap, void *);
	va_end(ap);
	struct stat st;
	if (what == HIDIOCGRDESCSIZE && fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode)) {
		*(int *)arg = 1;
		return 0;
	}
	return REAL(ioctl)(fd, what, arg);
}

/* ---- what is counted ------------------------------------------------------------------------------------------- */

ssize_t read(int fd, void *buf, size_t size)
{
	static __typeof__(read) *real;
	if (!real)
		real = REAL(read);
	count(READ);
	if (fd == atomic_load_explicit(&fake_fd, memory_order_relaxed) &&
	    atomic_fetch_add_explicit(&reports, 1, memory_order_relaxed) == 100)
		for (int i = 0; i < CALLS; i++)
			atomic_store(&at_start[i], atomic_load(&calls[i]));
	return real(fd, buf, size);
}
ssize_t write(int fd, const void *buf, size_t size)
{
	static __typeof__(write) *real;
	if (!real)
		real = REAL(write);
	count(WRITE);
	return real(fd, buf, size);
}
ssize_t sendto(int fd, const void *buf, size_t size, int flags, const struct sockaddr *to, socklen_t len)
{
	static __typeof__(sendto) *real;
	if (!real)
		real = REAL(sendto);
	count(SEND);
	return real(fd, buf, size, flags, to, len);
}
ssize_t send(int fd, const void *buf, size_t size, int flags)
{
	static __typeof__(send) *real;
	if (!real)
		real = REAL(send);
	count(SEND);
	return real(fd, buf, size, flags);
}
int poll(struct pollfd *fds, nfds_t n, int ms)
{
	static __typeof__(poll) *real;
	if (!real)
		real = REAL(poll);
	count(WAIT);
	return real(fds, n, ms);
}
int epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
	static __typeof__(epoll_wait) *real;
	if (!real)
		real = REAL(epoll_wait);
	count(WAIT);
	return real(fd, events, n, ms);
}
int epoll_pwait(int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask)
{
	static __typeof__(epoll_pwait) *real;
	if (!real)
		real = REAL(epoll_pwait);
	count(WAIT);
	return real(fd, events, n, ms, mask);
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("FAKE_COUNTS");
	FILE *f = path ? REAL(fopen)(path, "w") : NULL;
	if (!f)
		return;
	fprintf(f, "reports %llu\n", atomic_load(&reports) - 100);
	for (int i = 0; i < CALLS; i++)
		fprintf(f, "calls %s %llu\n", names[i], atomic_load(&calls[i]) - atomic_load(&at_start[i]));
	fclose(f);
}

/* ---- hidapi ---------------------------------------------------------------------------------------------------- */

struct hid_device_ {
	unsigned char feature[256][64];
};
int hid_init(void)
{
	return 0;
}
struct hid_device_info *hid_enumerate(unsigned short vendor, unsigned short product)
{
	static wchar_t name[] = L"Fake tracker", serial[] = L"1";
	(void)vendor;
	(void)product;
	struct hid_device_info *d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	d->path = strdup("/dev/hidraw0");
	d->product_string = name;
	d->serial_number = serial;
	d->vendor_id = 0x1209;
	d->product_id = 1;
	return d;
}
void hid_free_enumeration(struct hid_device_info *d)
{
	if (d)
		free(d->path);
	free(d);
}
hid_device *hid_open_path(const char *path)
{
	hid_device *d = calloc(1, sizeof *d);
	(void)path;
	if (d) {
		memcpy(d->feature[1], "\1\0", 2);
		memcpy(d->feature[2], "\2#AndroidHeadTracker#1.0", 24);
	}
	return d;
}
void hid_close(hid_device *d)
{
	free(d);
}
const wchar_t *hid_error(hid_device *d)
{
	(void)d;
	return L"no error";
}
int hid_read_timeout(hid_device *d, unsigned char *data, size_t size, int ms)
{
	(void)d;
	(void)data;
	(void)size;
	usleep(ms > 0 ? (unsigned)ms * 1000 : 1000000);
	return 0;
}
int hid_get_feature_report(hid_device *d, unsigned char *data, size_t size)
{
	size_t n = data[0] == 1 ? 2 : 40;
	n = n < size ? n : size;
	memcpy(data, d->feature[data[0]], n);
	return (int)n;
}
int hid_send_feature_report(hid_device *d, const unsigned char *data, size_t size)
{
	memcpy(d->feature[data[0]], data, size < 64 ? size : 64);
	return (int)size;
}

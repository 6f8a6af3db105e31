/* SPDX-License-Identifier: MIT
 * opentrack_shm.c - the shared memory that opentrack's X-Plane plugin and its Wine wrapper read, so that both work
 * with headpipe unchanged.
 *
 * 72 bytes in POSIX shared memory, this machine's byte order: double x, y, z (mm), yaw, pitch, roll (rad); int32 game
 * id, int32 second game id, 8 bytes of table, bool stop. Readers and writers hold flock() on it. Layout and name are
 * opentrack's (proto-wine/wine-shm.h); signs are those inside opentrack, which writes its pose there unchanged: x left,
 * y up, z back, yaw right, pitch up, roll left ("positive roll to the left" in its FreeTrack header). */
#include "api/builtin.h"
#include "headpipe.h"
#include "pose/basis.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct layout {
	double data[6];
	int32_t game, game2;
	uint8_t table[8];
	uint8_t stop, pad[7];
};
_Static_assert(sizeof(struct layout) == 72, "opentrack's size");
static const int64_t RETRY_NS = 2000000;

struct shm {
	const char *name;

	const struct hp_host *host;
	struct hp_timer *timer;
	int fd;
	struct layout *map;
	double pose[6]; /* newest, waiting for the lock when `pending` */
	bool open, pending;
};
static const struct hp_option options[] = { HP_OPT_STR(struct shm, name, "/facetracknoir-wine-shm",
	                                               "name of the shared memory; opentrack's programs know this one",
	                                               HP_LOCAL),
	                                    HP_OPT_END };

/* The lock is held for microseconds by well-behaved readers; one that keeps it must not stop us. */
static bool put(struct shm *m, bool stop)
{
	if (flock(m->fd, LOCK_EX | LOCK_NB) < 0)
		return false;
	memcpy(m->map->data, m->pose, sizeof m->pose);
	m->map->stop = stop;
	flock(m->fd, LOCK_UN);
	m->pending = false;
	return true;
}
static void again(void *arg)
{
	struct shm *m = arg;
	if (m->pending && !put(m, false))
		m->host->timer_at(m->timer, m->host->now(m->host) + RETRY_NS);
}
static int fail(struct shm *m, const char *what)
{
	char text[256];
	int error = errno;
	snprintf(text, sizeof text, "shared memory %.100s: %s: %s%s", m->name, what, strerror(error),
	         error == EACCES ? " (it belongs to another user; remove it or run as that user)" : "");
	m->host->log(m->host, HP_LOG_ERROR, text);
	return -error;
}
static void shm_shut(void *self)
{
	struct shm *m = self;
	if (m->map)
		munmap(m->map, sizeof *m->map);
	m->map = NULL;
	if (m->open)
		close(m->fd);
	m->open = false;
}
static int check(const void *self, const char **key, char *why, size_t size)
{
	const struct shm *m = self;
	*key = "name";
	if (*m->name == '/' && m->name[1] && !strchr(m->name + 1, '/'))
		return 0;
	snprintf(why, size, "must be a slash and a word behind it, as /facetracknoir-wine-shm");
	return -EINVAL;
}
static int shm_start(void *self, const struct hp_host *host)
{
	struct shm *m = self;
	struct stat st;
	m->host = host;
	m->fd = shm_open(m->name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (m->fd < 0)
		return fail(m, "cannot open");
	m->open = true;
	/* never shorter than it was: another process may have it mapped */
	if (fstat(m->fd, &st) < 0 || (st.st_size < (off_t)sizeof *m->map && ftruncate(m->fd, sizeof *m->map) < 0)) {
		int r = fail(m, "cannot set its size");
		shm_shut(m);
		return r;
	}
	void *map = mmap(NULL, sizeof *m->map, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	m->timer = host->timer(host, again, m);
	if (map == MAP_FAILED || !m->timer) {
		int r = map == MAP_FAILED ? fail(m, "cannot map") : -ENOMEM;
		m->map = map == MAP_FAILED ? NULL : map;
		shm_shut(m);
		return r;
	}
	m->map = map;
	m->pending = true; /* the zero pose, and no old stop flag */
	again(m);
	return 0;
}
static int shm_write(void *self, const struct hp_sample *s)
{
	struct shm *m = self;
	double xyz[3], ypr[3];
	hp_frame_opentrack_position(s, xyz);
	hp_frame_opentrack_angles(s, ypr);
	for (int i = 0; i < 3; i++) {
		m->pose[i] = xyz[i] * 10;
		m->pose[3 + i] = ypr[i] * (3.14159265358979323846 / 180);
	}
	if (!put(m, false) && !m->pending) {
		m->pending = true;
		m->host->timer_at(m->timer, m->host->now(m->host) + RETRY_NS);
	}
	return 0;
}
/* The view goes back to the middle, and a wrapper that waits for the flag ends. */
static void shm_stop(void *self)
{
	struct shm *m = self;
	memset(m->pose, 0, sizeof m->pose);
	m->host->timer_at(m->timer, -1);
	m->pending = false;
	for (int i = 0; i < 20 && !put(m, true); i++)
		usleep(1000);
}
HP_MODULE(opentrack_shm) = {
	HP_MODULE_HEAD,
	.kind = HP_OUTPUT,
	.traits = HP_OPENS_AGAIN,
	.name = "opentrack_shm",
	.summary = "shared memory for opentrack's X-Plane plugin and Wine wrapper",
	.options = options,
	.state_size = sizeof(struct shm),
	.check = check,
	.open = shm_start,
	.write = shm_write,
	.stop = shm_stop,
	.close = shm_shut,
};

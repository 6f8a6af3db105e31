/* SPDX-License-Identifier: MIT
 * live.c - the way that users run, end to end: a report is written into a faked hidraw node, whole programs read it,
 * and the JSON datagram is stamped by the kernel where it arrives. headpipe and the plain program take turns, so that
 * both meet the same machine.
 *
 * More than 400 lines: the fake device, the receiver and the clock of one experiment, which are only right together.
 *
 *   live HEADPIPE PLAIN PRELOAD DESCRIPTOR [--seconds S] [--rounds N] [--calls]
 *
 * Latency: from just before the report is written to the kernel's receive stamp of the datagram. --calls: no timing,
 * one short run of headpipe; prints system calls and context switches for each report. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 400000, BUSY = 64 };
static const char *headpipe, *plain, *preload, *descriptor;
static char root[64];
static int64_t sent[MOST];
static double latency[MOST]; /* us */

static int64_t real_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static void die(const char *what)
{
	fprintf(stderr, "bench-live: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- a tree that stands for /sys ---- */

static void put(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		die(path);
}
static void make_root(void)
{
	static const char text[] =
	    "DRIVER=hid-generic\nHID_ID=0005:00001209:00000001\nHID_NAME=Fake tracker\nHID_UNIQ=1\n";
	static uint8_t bytes[4096];
	char line[1024], path[256];
	strcpy(root, "/tmp/headpipe-live-XXXXXX");
	if (!mkdtemp(root))
		die(root);
	snprintf(
	    line, sizeof line,
	    "mkdir -p %s/dev %s/sys/bus/hid/devices/0005:1209:0001.0001/hidraw/hidraw0 %s/sys/class/hidraw/hidraw0 && "
	    "ln -s ../../../bus/hid/devices/0005:1209:0001.0001 %s/sys/class/hidraw/hidraw0/device",
	    root, root, root, root);
	if (system(line))
		die("mkdir");
	FILE *f = fopen(descriptor, "rb");
	size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
	if (!n)
		die(descriptor);
	fclose(f);
	snprintf(path, sizeof path, "%s/sys/bus/hid/devices/0005:1209:0001.0001/report_descriptor", root);
	put(path, bytes, n);
	snprintf(path, sizeof path, "%s/sys/bus/hid/devices/0005:1209:0001.0001/uevent", root);
	put(path, text, sizeof text - 1);
}
static void remove_root(void)
{
	char line[128];
	snprintf(line, sizeof line, "rm -rf %s", root);
	if (system(line))
		return;
}

/* ---- the receiver ---- */

struct ear {
	int json, opentrack;
	uint16_t json_port, opentrack_port;
	_Atomic long got;
	_Atomic bool stop;
	int64_t stamps[MOST];
};
static struct ear ear;

static int ear_socket(uint16_t *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof a;
	int one = 1, room = 8 << 20, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) < 0 || getsockname(fd, (struct sockaddr *)&a, &len) < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	*port = ntohs(a.sin_port);
	return fd;
}
/* Stamped by the kernel, so it does not matter when this thread runs. */
static void *listen_for(void *arg)
{
	struct ear *e = arg;
	while (!e->stop) {
		struct pollfd p[2] = { { e->json, POLLIN, 0 }, { e->opentrack, POLLIN, 0 } };
		char data[2048], control[128];
		poll(p, 2, 200);
		while (recv(e->opentrack, data, sizeof data, MSG_DONTWAIT) >= 0)
			;
		for (;;) {
			struct iovec iov = { data, sizeof data };
			struct msghdr m = { .msg_iov = &iov,
				            .msg_iovlen = 1,
				            .msg_control = control,
				            .msg_controllen = sizeof control };
			if (recvmsg(e->json, &m, MSG_DONTWAIT) < 0)
				break;
			struct cmsghdr *c = CMSG_FIRSTHDR(&m);
			struct timespec t = { 0, 0 };
			if (c && c->cmsg_type == SCM_TIMESTAMPNS)
				memcpy(&t, CMSG_DATA(c), sizeof t);
			long n = e->got;
			if (n < MOST)
				e->stamps[n] = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
			e->got = n + 1;
		}
	}
	return NULL;
}

/* ---- one run ---- */

struct result {
	long n, lost;
	double p50, p95, p99, cpu_us, switches;
};
struct use {
	int64_t cpu_ns;
	long switches;
};
/* Of all threads of the process. */
static struct use use_of(pid_t pid)
{
	struct use u = { 0, 0 };
	char path[300], line[256];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "/proc/%d/task/%.20s/schedstat", (int)pid, e->d_name);
		FILE *f = fopen(path, "r");
		long long run;
		if (f && fscanf(f, "%lld", &run) == 1)
			u.cpu_ns += run;
		if (f)
			fclose(f);
		snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", (int)pid, e->d_name);
		f = fopen(path, "r");
		long n;
		while (f && fgets(line, sizeof line, f))
			if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
				u.switches += n;
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return u;
}

static pid_t start(bool ours, int node, const char *counts)
{
	char fd[16], ini[128], a[16], b[16];
	snprintf(fd, sizeof fd, "%d", node);
	snprintf(ini, sizeof ini, "%s/live.ini", root);
	snprintf(a, sizeof a, "%u", ear.opentrack_port);
	snprintf(b, sizeof b, "%u", ear.json_port);
	char text[400];
	int n = snprintf(
	    text, sizeof text,
	    "[input head]\nuse = hid\n[filter pose]\nuse = orientation\n[output game]\nuse = opentrack_udp\nto = "
	    "127.0.0.1:%s\n[output mine]\nuse = json_udp\nto = 127.0.0.1:%s\n",
	    a, b);
	put(ini, text, (size_t)n);
	pid_t pid = fork();
	if (pid)
		return pid;
	fcntl(node, F_SETFD, 0);
	setenv("FAKE_NODE", fd, 1);
	/* both pay for the library, which stands between them and the C library */
	setenv("LD_PRELOAD", preload, 1);
	if (ours) {
		setenv("FAKE_ROOT", root, 1);
		if (counts)
			setenv("FAKE_COUNTS", counts, 1);
		execl(headpipe, headpipe, "run", "-q", ini, (char *)NULL);
	} else {
		execl(plain, plain, descriptor, a, b, (char *)NULL);
	}
	_exit(127);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}
static void pause_until(struct timespec *t, int64_t step)
{
	t->tv_nsec += step;
	while (t->tv_nsec >= 1000000000) {
		t->tv_nsec -= 1000000000;
		t->tv_sec++;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL) == EINTR)
		;
}
static void write_report(int fd, unsigned i)
{
	uint8_t r[14] = {
		1, (uint8_t)(i * 7), (uint8_t)(i / 40 % 64), 0, 0, 0, (uint8_t)(i / 10 % 30), 1, 0, 2, 0, 3, 0, 7
	};
	if (write(fd, r, sizeof r) < 0 && errno != EAGAIN)
		die("node");
}

static struct result run(bool ours, int rate, long n, const char *counts)
{
	int pair[2];
	struct result r = { 0 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair))
		die("socketpair");
	ear.got = 0;
	pid_t pid = start(ours, pair[1], counts);
	close(pair[1]);
	/* until it is there, and 100 more to warm up */
	struct timespec ms5 = { 0, 5000000 };
	long sends = 0;
	for (int i = 0; ear.got < 100 || ear.got < sends; i++) {
		if (ear.got == sends || i % 100 == 0) {
			if (sends > ear.got)
				sends = ear.got; /* written before it listened */
			write_report(pair[0], (unsigned)sends++);
		}
		nanosleep(&ms5, NULL);
		if (i > 20000) {
			fprintf(stderr, "bench-live: %s gives nothing\n", ours ? headpipe : plain);
			exit(1);
		}
	}
	long before = ear.got;
	struct use u0 = use_of(pid);
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	for (long i = 0; i < n; i++) {
		pause_until(&t, 1000000000 / rate);
		sent[i] = real_ns();
		write_report(pair[0], (unsigned)i);
	}
	for (int i = 0; i < 400 && ear.got < before + n; i++)
		nanosleep(&ms5, NULL);
	struct use u1 = use_of(pid);
	kill(pid, SIGINT);
	close(pair[0]);
	waitpid(pid, NULL, 0);
	r.n = ear.got - before < n ? ear.got - before : n;
	r.lost = n - r.n;
	for (long i = 0; i < r.n; i++)
		latency[i] = (double)(ear.stamps[before + i] - sent[i]) / 1e3;
	qsort(latency, (size_t)r.n, sizeof *latency, by_size);
	if (r.n) {
		r.p50 = latency[r.n / 2];
		r.p95 = latency[r.n * 95 / 100];
		r.p99 = latency[r.n * 99 / 100];
		r.cpu_us = (double)(u1.cpu_ns - u0.cpu_ns) / 1e3 / (double)r.n;
		r.switches = (double)(u1.switches - u0.switches) / (double)r.n;
	}
	return r;
}

/* ---- rounds ---- */

static pid_t hogs[BUSY];
static int nhogs;
static void busy(bool on)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; on && i < n && i < BUSY; i++) {
		hogs[i] = fork();
		if (!hogs[i])
			for (;;)
				__asm__ volatile("");
		nhogs = i + 1;
	}
	for (int i = 0; !on && i < nhogs; i++) {
		kill(hogs[i], SIGKILL);
		waitpid(hogs[i], NULL, 0);
	}
	if (!on)
		nhogs = 0;
}
static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_size);
	return v[n / 2];
}
static bool compare(int rate, bool loaded, double seconds, int rounds)
{
	double v[2][4][64];
	long lost = 0;
	if (loaded)
		busy(true);
	/* in turns, and who is first changes: what the machine does otherwise meets both */
	for (int turn = 0; turn < 2 * rounds; turn++) {
		int k = turn / 2, ours = (turn + k) % 2;
		struct result r = run(ours, rate, (long)(rate * seconds), NULL);
		v[ours][0][k] = r.p50;
		v[ours][1][k] = r.p95;
		v[ours][2][k] = r.p99;
		v[ours][3][k] = r.cpu_us;
		lost += r.lost;
	}
	busy(false);
	static const double most[4] = { 1.10, 1.25, 1.25, 1.10 };
	bool good = lost == 0;
	double m[2][4], ratio[4], of_round[64];
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < rounds; k++)
			of_round[k] = v[1][i][k] / v[0][i][k];
		ratio[i] = median(of_round, rounds);
		good &= ratio[i] <= most[i];
		for (int ours = 0; ours < 2; ours++)
			m[ours][i] = median(v[ours][i], rounds);
	}
	printf("%5d Hz %-5s  plain %7.1f %7.1f %8.1f us, %6.1f us CPU   headpipe %7.1f %7.1f %8.1f us, %6.1f us CPU   "
	       "ratio",
	       rate, loaded ? "busy" : "quiet", m[0][0], m[0][1], m[0][2], m[0][3], m[1][0], m[1][1], m[1][2], m[1][3]);
	for (int i = 0; i < 4; i++)
		printf(" %.2f", ratio[i]);
	printf("%s\n", lost ? "  LOST" : good ? "" : "  over the goal");
	fflush(stdout);
	return good;
}

static void count_calls(void)
{
	char path[128], name[32];
	unsigned long long n, reports = 0;
	snprintf(path, sizeof path, "%s/counts", root);
	struct result r = run(true, 200, 400, path);
	FILE *f = fopen(path, "r");
	if (!f || fscanf(f, "reports %llu", &reports) != 1 || !reports)
		die(path);
	while (fscanf(f, " calls %31s %llu", name, &n) == 2)
		printf("%s %.3f\n", name, (double)n / (double)reports);
	fclose(f);
	printf("switches %.3f\nlost %ld\n", r.switches, r.lost);
}

int main(int argc, char **argv)
{
	double seconds = 5;
	int rounds = 5;
	bool calls = false, good = true;
	if (argc < 5) {
		fprintf(stderr, "usage: live HEADPIPE PLAIN PRELOAD DESCRIPTOR [--seconds S] [--rounds N] [--calls]\n");
		return 2;
	}
	headpipe = argv[1];
	plain = argv[2];
	preload = argv[3];
	descriptor = argv[4];
	for (int i = 5; i < argc; i++) {
		if (!strcmp(argv[i], "--calls"))
			calls = true;
		else if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
			seconds = strtod(argv[++i], NULL);
		else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
			rounds = atoi(argv[++i]);
	}
	rounds = rounds < 1 ? 1 : rounds > 64 ? 64 : rounds;
	make_root();
	ear.json = ear_socket(&ear.json_port);
	ear.opentrack = ear_socket(&ear.opentrack_port);
	pthread_t thread;
	if (pthread_create(&thread, NULL, listen_for, &ear))
		die("thread");
	signal(SIGPIPE, SIG_IGN);
	if (calls) {
		count_calls();
	} else {
		printf("report written -> JSON datagram: p50 p95 p99; medians of %d rounds of %.0f s, taking turns, "
		       "and of "
		       "the rounds' ratios\n",
		       rounds, seconds);
		static const int rates[] = { 25, 100, 1000 };
		for (int loaded = 0; loaded < 2; loaded++)
			for (int i = 0; i < 3; i++)
				good &= compare(rates[i], loaded, seconds, rounds);
	}
	ear.stop = true;
	pthread_join(thread, NULL);
	remove_root();
	return good ? 0 : 1;
}

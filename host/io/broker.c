/* SPDX-License-Identifier: MIT
 * broker.c - the loop's side of a connection to an MQTT broker: options, beginning, publishing, end. What happens
 * between is in broker_thread.c. */
#include "broker.h"
#include "base/clock.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int hp_mqtt_check(const struct hp_mqtt_options *o, const char **key, char *why, size_t size)
{
	const char *what = NULL;
	if (o->broker.n > 1)
		*key = "broker", what = "one broker only";
	else if ((*o->password || *o->password_file) && !*o->user)
		*key = "user", what = "a password needs a user beside it";
	else if (*o->password && *o->password_file)
		*key = "password_file", what = "give either password or password_file";
	else if (!*o->cert_file != !*o->key_file)
		*key = *o->cert_file ? "key_file" : "cert_file", what = "cert_file and key_file belong together";
	else if (!o->tls && (*o->ca_file || *o->cert_file || o->tls_insecure))
		*key = "tls", what = "certificates need tls = yes";
	if (!what)
		return 0;
	snprintf(why, size, "%s", what);
	return -EINVAL;
}

/* The first line of the file, into a buffer of 1 KiB. */
static int read_password(struct hp_mqtt *m, char *out, size_t size)
{
	const char *path = m->options->password_file;
	struct stat st;
	FILE *f = fopen(path, "re");
	if (!f || fstat(fileno(f), &st) < 0 || !fgets(out, (int)size, f)) {
		int err = f && !ferror(f) ? ENODATA : errno;
		hp_mqtt_say(m, HP_LOG_ERROR, "password_file %s: %s", path,
		            err == ENODATA ? "it is empty" : strerror(err));
		if (f)
			fclose(f);
		return -err;
	}
	fclose(f);
	out[strcspn(out, "\r\n")] = 0;
	if (st.st_mode & (S_IRGRP | S_IROTH))
		hp_mqtt_say(m, HP_LOG_WARN, "password_file %s can be read by others; chmod 600 would help", path);
	return 0;
}

/* Does everything that a client will be made of work? Said here, where the ini's line is near. */
static int set_up(struct hp_mqtt *m)
{
	const struct hp_mqtt_options *o = m->options;
	snprintf(m->password, sizeof m->password, "%s", o->password);
	if (*o->password_file) {
		int r = read_password(m, m->password, sizeof m->password);
		if (r < 0)
			return r;
	}
	int rc = hp_mqtt_new_client(m);
	hp_mqtt_end_client(m);
	if (rc == MOSQ_ERR_SUCCESS)
		return 0;
	hp_mqtt_say(m, HP_LOG_ERROR, "%s%s%s", mosquitto_strerror(rc),
	            o->tls ? "; are the certificate files there and readable? " : "",
	            o->tls ? (*o->ca_file ? o->ca_file : o->cert_file) : "");
	return rc == MOSQ_ERR_NOMEM ? -ENOMEM : -EINVAL;
}

int hp_mqtt_open(struct hp_mqtt *m, const struct hp_host *host, const struct hp_mqtt_options *options,
                 const struct hp_mqtt_ops *ops, void *arg)
{
	pthread_condattr_t attr;
	m->host = host;
	m->options = options;
	m->ops = ops;
	m->arg = arg;
	m->seed = (unsigned)hp_now() ^ (unsigned)getpid();
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->wake, &attr);
	pthread_condattr_destroy(&attr);
	mosquitto_lib_init();
	return set_up(m);
}

int hp_mqtt_start(struct hp_mqtt *m)
{
	int r = pthread_create(&m->thread, NULL, hp_mqtt_thread, m);
	m->started = r == 0;
	return -r;
}

/* The thread waits with the client's end while `in_use` is set; it may have begun just before. */
static bool take(struct hp_mqtt *m)
{
	atomic_store(&m->in_use, true);
	if (atomic_load(&m->connected))
		return true;
	atomic_store(&m->in_use, false);
	return false;
}

int hp_mqtt_publish(struct hp_mqtt *m, atomic_int *waiting, const char *topic, const void *data, size_t size, int qos,
                    bool retain)
{
	if (!take(m))
		return MOSQ_ERR_NO_CONN;
	atomic_fetch_add(waiting, 1); /* first: its answer may come before the call returns */
	int rc = mosquitto_publish(m->client, NULL, topic, (int)size, data, qos, retain);
	if (rc != MOSQ_ERR_SUCCESS)
		atomic_fetch_sub(waiting, 1);
	atomic_store(&m->in_use, false);
	return rc;
}

static void disconnect(struct hp_mqtt *m)
{
	if (!take(m))
		return;
	mosquitto_disconnect(m->client);
	atomic_store(&m->in_use, false);
}

void hp_mqtt_stop(struct hp_mqtt *m, const char *topic, const char *text)
{
	if (!m->started)
		return;
	pthread_mutex_lock(&m->lock);
	atomic_store(&m->stopping, true);
	pthread_cond_broadcast(&m->wake);
	pthread_mutex_unlock(&m->lock);
	/* Closing while the broker's answers are unread resets the connection, and what was just sent may be lost with
	 * it. So the last message is one that is answered, and the connection ends with its answer. Its number is
	 * written before it is sent, so that the answer cannot come first. */
	if (topic && take(m)) {
		int rc = mosquitto_publish(m->client, (int *)&m->last_mid, topic, (int)strlen(text), text, 1, true);
		atomic_store(&m->in_use, false);
		if (rc == MOSQ_ERR_SUCCESS)
			return;
	}
	disconnect(m);
}

/* A wait for the thread's own word, not a join with a time limit: race detectors do not understand one that fails. */
static bool ended_within(struct hp_mqtt *m, int seconds)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	pthread_mutex_lock(&m->lock);
	while (!m->ended && pthread_cond_timedwait(&m->wake, &m->lock, &until) == 0)
		;
	bool ended = m->ended;
	pthread_mutex_unlock(&m->lock);
	return ended && pthread_join(m->thread, NULL) == 0;
}

bool hp_mqtt_close(struct hp_mqtt *m)
{
	if (m->started && !atomic_load(&m->stopping))
		hp_mqtt_stop(m, NULL, NULL);
	if (m->started && !ended_within(m, 1)) {
		disconnect(m); /* the broker owes an answer; without it then */
		if (!ended_within(m, 1)) {
			hp_mqtt_say(m, HP_LOG_WARN, "the connection to the broker does not end; it is left behind");
			pthread_detach(m->thread);
			return false;
		}
	}
	m->started = false;
	memset(m->password, 0, sizeof m->password);
	mosquitto_lib_cleanup();
	pthread_cond_destroy(&m->wake);
	pthread_mutex_destroy(&m->lock);
	return true;
}

/* SPDX-License-Identifier: MIT
 * broker.c - a connection to an MQTT broker, by libmosquitto on a thread of its own.
 *
 * mosquitto_loop_start() is not used: its thread sleeps between attempts where nothing can wake it, which would hold up
 * the end of a run. */
#define _GNU_SOURCE /* pthread_timedjoin_np */
#include "broker.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const int first_pause = 1, longest_pause = 30; /* s */

__attribute__((format(printf, 3, 4))) static void say(struct hp_mqtt *m, enum hp_level level, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	m->host->log(m->host, level, text);
}

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

/* ---- topics ----------------------------------------------------------------------------------------------------- */

static bool append(char *out, size_t size, size_t *n, const char *text, size_t len, bool clean)
{
	if (len >= size - *n)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		out[(*n)++] =
		    clean && (c < 0x20 || c == 0x7f || c == '/' || c == '+' || c == '#' || c == '$') ? '_' : text[i];
	}
	out[*n] = 0;
	return true;
}

bool hp_mqtt_topic(const char *pattern, const char *name, const char *device, const char *serial, char *out,
                   size_t size)
{
	char host[256] = "host";
	size_t n = 0;
	gethostname(host, sizeof host - 1);
	const struct {
		const char *word, *text;
	} words[] = {
		{ "{name}", name }, { "{host}", host }, { "{device}", device }, { "{serial}", device ? serial : NULL }
	};
	out[0] = 0;
	while (*pattern) {
		size_t plain = strcspn(pattern, "{");
		if (!append(out, size, &n, pattern, plain, false))
			return false;
		pattern += plain;
		size_t i = 0, count = sizeof words / sizeof words[0];
		while (*pattern && i < count && strncmp(pattern, words[i].word, strlen(words[i].word)))
			i++;
		if (!*pattern)
			break;
		if (i == count || !words[i].text || !append(out, size, &n, words[i].text, strlen(words[i].text), true))
			return false;
		pattern += strlen(words[i].word);
	}
	return n > 0 && mosquitto_pub_topic_check(out) == MOSQ_ERR_SUCCESS;
}

/* ---- the thread ------------------------------------------------------------------------------------------------- */

/* A trouble is told once, until it is another one or the connection was there in between. */
static void trouble(struct hp_mqtt *m, const char *what)
{
	if (!strcmp(m->told, what) || atomic_load(&m->stopping))
		return;
	snprintf(m->told, sizeof m->told, "%s", what);
	say(m, HP_WARN, "%s port %u: %s; trying again until it works", m->options->broker.at[0].host,
	    m->options->broker.at[0].port, what);
}

static void on_connect(struct mosquitto *client, void *arg, int rc)
{
	struct hp_mqtt *m = arg;
	if (atomic_load(&m->stopping))
		return;
	if (rc == 4 || rc == 5) { /* MQTT's codes for bad credentials; libmosquitto has no names for them */
		trouble(m, *m->options->user ? "the broker refuses this user and password"
		                             : "the broker wants a user and a password");
		return;
	}
	if (rc) {
		trouble(m, mosquitto_connack_string(rc));
		return;
	}
	m->told[0] = 0;
	say(m, HP_INFO, "connected to %s port %u", m->options->broker.at[0].host, m->options->broker.at[0].port);
	if (m->ops->connected)
		m->ops->connected(m->arg, client);
	atomic_store(&m->connected, true);
}

static void on_disconnect(struct mosquitto *client, void *arg, int rc)
{
	struct hp_mqtt *m = arg;
	bool was = atomic_exchange(&m->connected, false);
	(void)client;
	if (was && rc)
		trouble(m, "the connection was lost");
	if (was && m->ops->lost)
		m->ops->lost(m->arg);
}

static void on_publish(struct mosquitto *client, void *arg, int mid)
{
	struct hp_mqtt *m = arg;
	if (m->ops->published)
		m->ops->published(m->arg);
	if (atomic_load(&m->stopping) && mid == m->last_mid)
		mosquitto_disconnect(client);
}

static void on_message(struct mosquitto *client, void *arg, const struct mosquitto_message *message)
{
	struct hp_mqtt *m = arg;
	(void)client;
	if (m->ops->message)
		m->ops->message(m->arg, message);
}

static void pause_for(struct hp_mqtt *m, int seconds)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	pthread_mutex_lock(&m->lock);
	while (!atomic_load(&m->stopping) && pthread_cond_timedwait(&m->wake, &m->lock, &until) == 0)
		;
	pthread_mutex_unlock(&m->lock);
}

static void *run(void *arg)
{
	struct hp_mqtt *m = arg;
	const struct hp_addr *broker = &m->options->broker.at[0];
	int keepalive = (int)(m->options->keepalive / 1000000000), pause = first_pause;
	while (!atomic_load(&m->stopping)) {
		int rc = mosquitto_connect_async(m->client, broker->host, broker->port, keepalive);
		int error = errno;
		while (rc == MOSQ_ERR_SUCCESS) {
			/* wakes for what is to be sent or has come, else only when a ping is due */
			rc = mosquitto_loop(m->client, keepalive * 1000, 1);
			error = errno;
			if (atomic_load(&m->connected))
				pause = first_pause;
			if (atomic_load(&m->stopping) && !atomic_load(&m->connected))
				break;
		}
		if (atomic_load(&m->stopping))
			break;
		/* these two follow from what on_connect() or on_disconnect() has told more exactly */
		if (!m->told[0] || (rc != MOSQ_ERR_CONN_LOST && rc != MOSQ_ERR_CONN_REFUSED))
			trouble(m, rc == MOSQ_ERR_ERRNO ? strerror(error)
			           : rc == MOSQ_ERR_EAI ? "the name is not known"
			                                : mosquitto_strerror(rc));
		if (atomic_exchange(&m->connected, false) && m->ops->lost)
			m->ops->lost(m->arg);
		pause_for(m, pause);
		pause = pause * 2 < longest_pause ? pause * 2 : longest_pause;
	}
	return NULL;
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

/* The first line of the file, into a buffer of 1 KiB. */
static int read_password(struct hp_mqtt *m, char *out, size_t size)
{
	const char *path = m->options->password_file;
	struct stat st;
	FILE *f = fopen(path, "re");
	if (!f || fstat(fileno(f), &st) < 0 || !fgets(out, (int)size, f)) {
		int err = f && !ferror(f) ? ENODATA : errno;
		say(m, HP_ERROR, "password_file %s: %s", path, err == ENODATA ? "it is empty" : strerror(err));
		if (f)
			fclose(f);
		return -err;
	}
	fclose(f);
	out[strcspn(out, "\r\n")] = 0;
	if (st.st_mode & (S_IRGRP | S_IROTH))
		say(m, HP_WARN, "password_file %s can be read by others; chmod 600 would help", path);
	return 0;
}

static int set_up(struct hp_mqtt *m)
{
	const struct hp_mqtt_options *o = m->options;
	char password[1024];
	snprintf(password, sizeof password, "%s", o->password);
	if (*o->password_file) {
		int r = read_password(m, password, sizeof password);
		if (r < 0)
			return r;
	}
	int rc = MOSQ_ERR_SUCCESS;
	if (*o->user)
		rc = mosquitto_username_pw_set(m->client, o->user, *password ? password : NULL);
	memset(password, 0, sizeof password);
	if (rc == MOSQ_ERR_SUCCESS && o->tls) {
		const char *ca = *o->ca_file ? o->ca_file : NULL, *cert = *o->cert_file ? o->cert_file : NULL;
		if (ca || cert)
			rc = mosquitto_tls_set(m->client, ca, ca ? NULL : "/etc/ssl/certs", cert,
			                       cert ? o->key_file : NULL, NULL);
		else
			rc = mosquitto_int_option(m->client, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
		if (rc == MOSQ_ERR_SUCCESS)
			rc = mosquitto_tls_insecure_set(m->client, o->tls_insecure);
	}
	if (rc == MOSQ_ERR_SUCCESS)
		return 0;
	say(m, HP_ERROR, "%s%s%s", mosquitto_strerror(rc),
	    o->tls ? "; are the certificate files there and readable? " : "",
	    o->tls ? (*o->ca_file ? o->ca_file : o->cert_file) : "");
	return -EINVAL;
}

int hp_mqtt_open(struct hp_mqtt *m, const struct hp_host *host, const struct hp_mqtt_options *options,
                 const struct hp_mqtt_ops *ops, void *arg)
{
	pthread_condattr_t attr;
	m->host = host;
	m->options = options;
	m->ops = ops;
	m->arg = arg;
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->wake, &attr);
	pthread_condattr_destroy(&attr);
	mosquitto_lib_init();
	m->client = mosquitto_new(*options->client_id ? options->client_id : NULL, true, m);
	if (!m->client)
		return errno == EINVAL ? -EINVAL : -ENOMEM;
	mosquitto_threaded_set(m->client, true); /* publish comes from another thread than the network's */
	mosquitto_connect_callback_set(m->client, on_connect);
	mosquitto_disconnect_callback_set(m->client, on_disconnect);
	mosquitto_publish_callback_set(m->client, on_publish);
	mosquitto_message_callback_set(m->client, on_message);
	return set_up(m);
}

int hp_mqtt_start(struct hp_mqtt *m)
{
	int r = pthread_create(&m->thread, NULL, run, m);
	m->started = r == 0;
	return -r;
}

void hp_mqtt_stop(struct hp_mqtt *m, const char *topic, const char *text)
{
	if (!m->client)
		return;
	pthread_mutex_lock(&m->lock);
	atomic_store(&m->stopping, true);
	pthread_cond_signal(&m->wake);
	pthread_mutex_unlock(&m->lock);
	/* Closing while the broker's answers are unread resets the connection, and what was just sent may be lost with
	 * it. So the last message is one that is answered, and the connection ends with its answer. */
	if (topic && atomic_load(&m->connected) &&
	    mosquitto_publish(m->client, &m->last_mid, topic, (int)strlen(text), text, 1, true) == MOSQ_ERR_SUCCESS)
		return;
	mosquitto_disconnect(m->client);
}

static bool ended_within(struct hp_mqtt *m, int seconds)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	return pthread_timedjoin_np(m->thread, NULL, &until) == 0;
}

bool hp_mqtt_close(struct hp_mqtt *m)
{
	if (m->started && !atomic_load(&m->stopping))
		hp_mqtt_stop(m, NULL, NULL);
	if (m->started && !ended_within(m, 1)) {
		mosquitto_disconnect(m->client); /* the broker owes an answer; without it then */
		if (!ended_within(m, 1)) {
			say(m, HP_WARN, "the connection to the broker does not end; it is left behind");
			pthread_detach(m->thread);
			return false;
		}
	}
	m->started = false;
	if (m->client)
		mosquitto_destroy(m->client);
	m->client = NULL;
	mosquitto_lib_cleanup();
	pthread_cond_destroy(&m->wake);
	pthread_mutex_destroy(&m->lock);
	return true;
}

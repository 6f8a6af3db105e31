/* SPDX-License-Identifier: MIT
 * broker_thread.c - connects to an MQTT broker, keeps the connection and renews it, by libmosquitto on a thread.
 *
 * mosquitto_loop_start() is not used: its thread sleeps between attempts where nothing can wake it, which would hold up
 * the end of a run. Every attempt gets a client of its own: one that has been connected with the system's certificates
 * refuses to be connected again (libmosquitto 2.0.11: "Invalid function arguments"), and one whose TLS handshake meets
 * a closed port spins. */
#include "base/clock.h"
#include "broker.h"
#include <errno.h>
#include <mqtt_protocol.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* ns. Pauses grow by half, so that a broker that restarts within two seconds is met again within four. */
static const int64_t first_pause = 500000000, longest_pause = 30000000000;
/* A connection that lived that long begins the pauses anew; a shorter one does not, or two clients with one client_id
 * would throw each other out for ever. */
static const int64_t long_enough = 10000000000;
static const int64_t answer_within = 10000000000; /* handshakes and CONNACK */

void hp_mqtt_say(struct hp_mqtt *m, enum hp_level level, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	m->host->log(m->host, level, text);
}

/* A trouble is told once, until it is another one or a connection has lasted in between. */
static void trouble(struct hp_mqtt *m, const char *what)
{
	if (!strcmp(m->told, what) || atomic_load(&m->stopping))
		return;
	snprintf(m->told, sizeof m->told, "%s", what);
	hp_mqtt_say(m, HP_LOG_WARN, "%s port %u: %s; trying again until it works", m->options->broker.at[0].host,
	            m->options->broker.at[0].port, what);
}

static void trouble_reason(struct hp_mqtt *m, int reason)
{
	char text[300];
	hp_mqtt_reason(m, reason, text, sizeof text);
	m->explained = true;
	trouble(m, text);
}

static void on_log(struct mosquitto *client, void *arg, int level, const char *text)
{
	struct hp_mqtt *m = arg;
	(void)client;
	/* "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed" */
	if (level != MOSQ_LOG_ERR || strstr(m->tls_said, "host name"))
		return;
	const char *last = strrchr(text, ':');
	snprintf(m->tls_said, sizeof m->tls_said, "%s", last && strstr(text, "OpenSSL") ? last + 1 : text);
}

static void on_connect(struct mosquitto *client, void *arg, int rc, int flags, const mosquitto_property *props)
{
	struct hp_mqtt *m = arg;
	(void)flags;
	(void)props;
	if (atomic_load(&m->stopping))
		return;
	if (rc == CONNACK_REFUSED_PROTOCOL_VERSION || rc == MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION) {
		m->explained = m->old_protocol = true;
		return;
	}
	if (rc) {
		trouble_reason(m, rc);
		return;
	}
	m->connected_at = hp_now();
	m->quiet = m->short_lives >= 2;
	if (!m->quiet) {
		m->told[0] = 0;
		hp_mqtt_say(m, HP_LOG_INFO, "connected to %s port %u", m->options->broker.at[0].host,
		            m->options->broker.at[0].port);
	}
	if (m->ops->connected)
		m->ops->connected(m->arg, client);
	atomic_store(&m->connected, true);
}

static void on_disconnect(struct mosquitto *client, void *arg, int rc, const mosquitto_property *props)
{
	struct hp_mqtt *m = arg;
	(void)client;
	(void)props;
	if (rc >= 128)
		trouble_reason(m, rc);
}

/* A refused publication of a pose says nothing about the connection: it is told, and the next one is tried. */
static void on_publish(struct mosquitto *client, void *arg, int mid, int reason, const mosquitto_property *props)
{
	struct hp_mqtt *m = arg;
	(void)props;
	if (reason >= 128) {
		char text[200];
		snprintf(text, sizeof text, "the broker refuses to publish this: %s%s", mosquitto_reason_string(reason),
		         reason == MQTT_RC_NOT_AUTHORIZED ? "; its access list must allow the topic" : "");
		trouble(m, text);
	} else if (m->ops->published) {
		m->ops->published(m->arg, mid);
	}
	if (atomic_load(&m->stopping) && mid == atomic_load(&m->last_mid))
		mosquitto_disconnect(client);
}

static void on_subscribe(struct mosquitto *client, void *arg, int mid, int n, const int *granted,
                         const mosquitto_property *props)
{
	struct hp_mqtt *m = arg;
	(void)client;
	(void)mid;
	(void)props;
	if (n > 0 && granted[0] >= 128)
		trouble(m, "the broker does not allow listening to this topic; its access list must allow it");
}

static void on_message(struct mosquitto *client, void *arg, const struct mosquitto_message *message,
                       const mosquitto_property *props)
{
	struct hp_mqtt *m = arg;
	(void)client;
	(void)props;
	if (m->ops->message)
		m->ops->message(m->arg, message);
}

/* Spread by a fifth, so that a house full of headsets does not come back at one moment. */
static void pause_for(struct hp_mqtt *m, int64_t ns)
{
	struct timespec until;
	ns += ns / 100 * (rand_r(&m->seed) % 41 - 20);
	clock_gettime(CLOCK_MONOTONIC, &until);
	ns += until.tv_nsec;
	until.tv_sec += ns / 1000000000;
	until.tv_nsec = ns % 1000000000;
	pthread_mutex_lock(&m->lock);
	while (!atomic_load(&m->stopping) && pthread_cond_timedwait(&m->wake, &m->lock, &until) == 0)
		;
	pthread_mutex_unlock(&m->lock);
}

int hp_mqtt_new_client(struct hp_mqtt *m)
{
	const struct hp_mqtt_options *o = m->options;
	int rc = MOSQ_ERR_SUCCESS;
	m->client = mosquitto_new(*o->client_id ? o->client_id : NULL, true, m);
	if (!m->client)
		return errno == EINVAL ? MOSQ_ERR_INVAL : MOSQ_ERR_NOMEM;
	mosquitto_threaded_set(m->client, true); /* publish comes from another thread than the network's */
	mosquitto_int_option(m->client, MOSQ_OPT_PROTOCOL_VERSION,
	                     m->old_protocol ? MQTT_PROTOCOL_V311 : MQTT_PROTOCOL_V5);
	mosquitto_log_callback_set(m->client, on_log);
	mosquitto_connect_v5_callback_set(m->client, on_connect);
	mosquitto_disconnect_v5_callback_set(m->client, on_disconnect);
	mosquitto_publish_v5_callback_set(m->client, on_publish);
	mosquitto_subscribe_v5_callback_set(m->client, on_subscribe);
	mosquitto_message_v5_callback_set(m->client, on_message);
	if (m->will)
		rc = mosquitto_will_set(m->client, m->will, 7, "offline", 1, true);
	if (rc == MOSQ_ERR_SUCCESS && *o->user)
		rc = mosquitto_username_pw_set(m->client, o->user, *m->password ? m->password : NULL);
	if (rc != MOSQ_ERR_SUCCESS || !o->tls)
		return rc;
	const char *ca = *o->ca_file ? o->ca_file : NULL, *cert = *o->cert_file ? o->cert_file : NULL;
	if (ca || cert)
		rc = mosquitto_tls_set(m->client, ca, ca ? NULL : "/etc/ssl/certs", cert, cert ? o->key_file : NULL,
		                       NULL);
	else
		rc = mosquitto_int_option(m->client, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
	return rc == MOSQ_ERR_SUCCESS ? mosquitto_tls_insecure_set(m->client, o->tls_insecure) : rc;
}

/* The loop may be sending something with it: a moment. */
void hp_mqtt_end_client(struct hp_mqtt *m)
{
	atomic_store(&m->connected, false);
	while (atomic_load(&m->in_use))
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	if (m->client)
		mosquitto_destroy(m->client);
	m->client = NULL;
}

/* libmosquitto takes a connection that failed during the TLS handshake for one that is still coming. */
static int still_coming(struct hp_mqtt *m, int64_t since, int *error)
{
	struct pollfd p = { .fd = mosquitto_socket(m->client), .events = POLLIN };
	int left = 0;
	char byte;
	if (p.fd < 0)
		return MOSQ_ERR_CONN_LOST;
	if (poll(&p, 1, 0) > 0 &&
	    (p.revents & (POLLERR | POLLHUP) || recv(p.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)) {
		/* the handshake may have taken the error already */
		getsockopt(p.fd, SOL_SOCKET, SO_ERROR, &left, &(socklen_t){ sizeof left });
		*error = left ? left : *error == EINPROGRESS || *error == EAGAIN ? 0 : *error;
		return *error ? MOSQ_ERR_ERRNO : MOSQ_ERR_CONN_LOST;
	}
	if (hp_now() - since < answer_within)
		return MOSQ_ERR_SUCCESS;
	*error = ETIMEDOUT;
	return MOSQ_ERR_ERRNO;
}

/* How long the network may be waited for: a connection is asked once more when it has lasted. ms */
static int patience(const struct hp_mqtt *m, int keepalive)
{
	if (!m->connected_at)
		return 250;
	int64_t left = m->connected_at + long_enough - hp_now();
	return left > 0 && left / 1000000 < keepalive * 1000 ? (int)(left / 1000000) + 1 : keepalive * 1000;
}

/* One connection from its beginning to its end. */
static int attempt(struct hp_mqtt *m, int *error)
{
	const struct hp_addr *broker = &m->options->broker.at[0];
	int keepalive = (int)(m->options->keepalive / 1000000000), rc = hp_mqtt_new_client(m);
	int64_t since = hp_now();
	if (rc != MOSQ_ERR_SUCCESS)
		return rc;
	errno = 0;
	rc = mosquitto_connect_async(m->client, broker->host, broker->port, keepalive);
	*error = errno;
	/* what is sent and never acknowledged means the same as a ping without an answer */
	unsigned silence = (unsigned)keepalive * 1000;
	if (rc == MOSQ_ERR_SUCCESS)
		setsockopt(mosquitto_socket(m->client), IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
	while (rc == MOSQ_ERR_SUCCESS) {
		if (!m->connected_at && (rc = still_coming(m, since, error)) != MOSQ_ERR_SUCCESS)
			break;
		/* wakes for what is to be sent or has come, else only when a ping is due */
		rc = mosquitto_loop(m->client, patience(m, keepalive), 1);
		*error = rc == MOSQ_ERR_ERRNO ? errno : *error;
		if (atomic_load(&m->stopping) && !m->connected_at)
			break;
		if (m->connected_at && hp_now() - m->connected_at >= long_enough) {
			m->short_lives = 0;
			m->told[0] = 0;
			if (m->quiet)
				hp_mqtt_say(m, HP_LOG_INFO, "connected to %s port %u, and it lasts now", broker->host,
				            broker->port);
			m->quiet = false;
		}
	}
	return rc;
}

void *hp_mqtt_thread(void *arg)
{
	struct hp_mqtt *m = arg;
	int64_t pause = first_pause;
	while (!atomic_load(&m->stopping)) {
		char text[300] = "";
		int error = 0;
		bool was_old = m->old_protocol;
		m->tls_said[0] = 0;
		m->explained = false;
		m->connected_at = 0;
		int rc = attempt(m, &error);
		bool lived = m->connected_at != 0;
		if (lived)
			m->short_lives = hp_now() - m->connected_at < long_enough ? m->short_lives + 1 : 0;
		if (!m->explained && !atomic_load(&m->stopping)) {
			hp_mqtt_cause(m, rc, error, text, sizeof text);
			trouble(m, text);
		}
		hp_mqtt_end_client(m);
		if (lived && m->ops->lost)
			m->ops->lost(m->arg);
		if (lived && !m->short_lives)
			pause = first_pause;
		if (atomic_load(&m->stopping) || was_old != m->old_protocol)
			continue; /* an older broker is asked again at once, in its own words */
		pause_for(m, pause);
		pause = pause * 3 / 2 < longest_pause ? pause * 3 / 2 : longest_pause;
	}
	pthread_mutex_lock(&m->lock);
	m->ended = true;
	pthread_cond_broadcast(&m->wake);
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

/* SPDX-License-Identifier: MIT
 * broker.h - one connection to an MQTT broker, for input mqtt and output mqtt: options, a thread of its own that
 * connects, keeps and renews it, TLS, user and password. The thread may wait for name servers and brokers as long as
 * they please; the loop never does. */
#ifndef HP_MQTT_SESSION_H
#define HP_MQTT_SESSION_H
#include "headpipe.h"
#include <mosquitto.h>
#include <pthread.h>
#include <stdatomic.h>

struct hp_mqtt_options {
	struct hp_addrs broker;
	const char *client_id, *user, *password, *password_file, *ca_file, *cert_file, *key_file;
	bool tls, tls_insecure;
	int qos;
	int64_t keepalive;
};
#define HP_MQTT_OPTIONS(T, f)                                                                                         \
	HP_OPT_ADDRS_AS(T, f.broker, "broker", "127.0.0.1:1883", "the broker; 1883 is usual, 8883 with TLS"),         \
	    HP_OPT_INT_AS(T, f.qos, "qos", "0", 0, 2, "quality of service: 0 at most once, 1 at least once, 2 once"), \
	    HP_OPT_STR_AS(T, f.client_id, "client_id", "", "name towards the broker; it makes one up when empty"),    \
	    HP_OPT_STR_AS(T, f.user, "user", "", "user name"),                                                        \
	    HP_OPT_PATH_AS(T, f.password_file, "password_file", "", "file whose first line is the password",          \
	                   HP_LOCAL),                                                                                 \
	    HP_OPT_STR_AS(T, f.password, "password", "", "the password itself; a file is better", HP_SECRET),         \
	    HP_OPT_BOOL_AS(T, f.tls, "tls", "no", "encrypt, and check the broker's certificate"),                     \
	    HP_OPT_PATH_AS(T, f.ca_file, "ca_file", "", "certificates that are trusted; the system's when empty"),    \
	    HP_OPT_PATH_AS(T, f.cert_file, "cert_file", "", "own certificate, for brokers that want one", HP_LOCAL),  \
	    HP_OPT_PATH_AS(T, f.key_file, "key_file", "", "its private key", HP_LOCAL),                               \
	    HP_OPT_BOOL_AS(T, f.tls_insecure, "tls_insecure", "no",                                                   \
	                   "take a certificate that is made out for another name; for tests"),                        \
	    HP_OPT_NS_AS(T, f.keepalive, "keepalive", "30s", 5, 3600, "longest silence on the connection")

/* Is what belongs together there together? As check() of a module. */
int hp_mqtt_check(const struct hp_mqtt_options *, const char **key, char *why, size_t size);

/* All of them on the session's thread. */
struct hp_mqtt_ops {
	void (*connected)(void *arg, struct mosquitto *);
	void (*lost)(void *arg);
	/* The broker has it (QoS 0: it is on its way). mid: libmosquitto's number of the message. */
	void (*published)(void *arg, int mid);
	void (*message)(void *arg, const struct mosquitto_message *);
};

struct hp_mqtt {
	const struct hp_host *host;
	const struct hp_mqtt_options *options;
	const struct hp_mqtt_ops *ops;
	void *arg;
	const char
	    *will; /* topic of the last will, text "offline", retained; NULL = none. Set before hp_mqtt_start() */

	/* A client lives for one attempt: what an ended connection leaves in libmosquitto's hands keeps it from ever
	 * getting a second one over TLS. It is the thread's; the loop may use it while `connected` is set and `in_use`
	 * says that it does. */
	struct mosquitto *client;
	atomic_bool connected, in_use, stopping;
	pthread_t thread;
	bool started;
	atomic_int last_mid;  /* of the message that ends the connection when it is answered */
	pthread_mutex_t lock; /* around the pause between two attempts, and around `ended` */
	pthread_cond_t wake;
	bool ended; /* the thread's last word */

	/* the rest is the thread's alone */
	char password[1024];
	char told[300];       /* the trouble that was logged last */
	char tls_said[96];    /* what OpenSSL found wrong during this attempt */
	bool explained;       /* this attempt's end has been told by what the broker itself said */
	bool old_protocol;    /* the broker knows no MQTT 5 */
	unsigned short_lives; /* connections in a row that did not last */
	bool quiet;           /* connected again after short lives, and not told yet */
	int64_t connected_at; /* ns, 0 = not in this attempt */
	unsigned seed;
};

/* Checks the options and prepares; nothing is connected yet. 0 or -errno after a log line; hp_mqtt_close() must follow
 * in both cases. [loop] */
int hp_mqtt_open(struct hp_mqtt *, const struct hp_host *, const struct hp_mqtt_options *, const struct hp_mqtt_ops *,
                 void *arg);
int hp_mqtt_start(struct hp_mqtt *);
/* Sends, or says why not in libmosquitto's codes: MOSQ_ERR_NO_CONN while the broker is away. waiting is counted up; the
 * owner counts it down in published(), and sets it to 0 in lost(). [loop] */
int hp_mqtt_publish(struct hp_mqtt *, atomic_int *waiting, const char *topic, const void *data, size_t size, int qos,
                    bool retain);
/* Says goodbye to the broker; returns at once. topic: NULL, or where text goes last, retained, with QoS 1. [loop] */
void hp_mqtt_stop(struct hp_mqtt *, const char *topic, const char *text);
/* Waits for the thread, two seconds at most. False: it hangs in a name server; the memory of the session and of arg
 * must then never be freed. [loop] */
bool hp_mqtt_close(struct hp_mqtt *);

/* broker_thread.c */
void *hp_mqtt_thread(void *);
/* A client with everything that the options say, not connected. MOSQ_ERR_... ; hp_mqtt_end_client() in any case. */
int hp_mqtt_new_client(struct hp_mqtt *);
void hp_mqtt_end_client(struct hp_mqtt *);
void hp_mqtt_say(struct hp_mqtt *, enum hp_level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* broker_cause.c: why an attempt or a connection ended, as a sentence with its cure. text keeps its content when there
 * is nothing better to say. */
void hp_mqtt_cause(const struct hp_mqtt *, int rc, int error, char *text, size_t size);
/* The same from what the broker itself said: reason codes of MQTT 5 (from 128 on) and of older CONNACKs (1 to 5). */
void hp_mqtt_reason(const struct hp_mqtt *, int reason, char *text, size_t size);

/* Fills in {name}, {host}, {device}, {serial} of a topic pattern; characters that mean something in topics become `_`.
 * Returns false when it does not fit or knows a word in braces that does not exist. device == NULL: {device} and
 * {serial} are not allowed. */
bool hp_mqtt_topic(const char *pattern, const char *name, const char *device, const char *serial, char *out,
                   size_t size);
#endif

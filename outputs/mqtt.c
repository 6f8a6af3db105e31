/* SPDX-License-Identifier: MIT
 * mqtt.c - any encoding to a topic of an MQTT broker, with a retained status that the broker itself sets to "offline"
 * when headpipe is gone. Bounded: what the broker does not take in time is dropped, since a pose is worthless when it
 * is late. */
#include "io/broker.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TOPIC_MAX = 1024 };

struct mqtt {
	struct hp_mqtt_options options;
	const char *topic, *status_topic;
	bool status, retain;
	int queue;

	const struct hp_host *host;
	struct state *state;
};
/* What the session's thread sees, apart from the module's memory: should the thread hang for ever, this stays. */
struct state {
	struct hp_mqtt session;
	struct hp_mqtt_options options;
	atomic_int waiting;         /* messages that libmosquitto holds */
	int status_mid;             /* of the last "online"; session's thread */
	atomic_ullong sent, on_way; /* the broker has them; were on their way when a connection ended */
	char topic[TOPIC_MAX], status[TOPIC_MAX];
	uint64_t dropped, absent; /* [loop] */
};
static const struct hp_option options[] = {
	HP_OPT_STR(struct mqtt, topic, "headpipe/{name}/pose",
	           "where the samples go; {name} is the section's, {host} the machine's name, {device} and {serial} "
	           "the device's"),
	HP_OPT_BOOL(struct mqtt, status, "yes", "keep `online` or `offline` at the broker, retained, with a last will"),
	HP_OPT_STR(struct mqtt, status_topic, "headpipe/{name}/status",
	           "where the status goes; {name} and {host} as in topic"),
	HP_OPT_BOOL(struct mqtt, retain, "no", "let the broker keep the last sample for those who come later"),
	HP_OPT_INT(struct mqtt, queue, "16", 1, 10000, "samples that may be on their way; more are dropped"),
	HP_MQTT_OPTIONS(struct mqtt, options),
	HP_OPT_END
};

static int mqtt_check(const void *self, const char **key, char *why, size_t size)
{
	const struct mqtt *m = self;
	char topic[TOPIC_MAX];
	static const char what[] = "no topic: at most 1000 bytes, no + or #, and in braces only name, host";
	if (!hp_mqtt_topic(m->topic, "name", "device", "serial", topic, sizeof topic)) {
		*key = "topic";
		snprintf(why, size, "%s, device or serial", what);
		return -EINVAL;
	}
	if (!hp_mqtt_topic(m->status_topic, "name", NULL, NULL, topic, sizeof topic)) {
		*key = "status_topic";
		snprintf(why, size, "%s", what);
		return -EINVAL;
	}
	return hp_mqtt_check(&m->options, key, why, size);
}

static void connected(void *arg, struct mosquitto *client)
{
	struct state *s = arg;
	int mid = 0;
	/* its answer comes on this thread, so later */
	if (*s->status && mosquitto_publish(client, &mid, s->status, 6, "online", 1, true) == MOSQ_ERR_SUCCESS)
		s->status_mid = mid;
}

static void published(void *arg, int mid)
{
	struct state *s = arg;
	if (mid == s->status_mid || mid == atomic_load(&s->session.last_mid))
		return;
	atomic_fetch_sub(&s->waiting, 1);
	atomic_fetch_add(&s->sent, 1);
}

static void lost(void *arg)
{
	struct state *s = arg;
	atomic_fetch_add(&s->on_way, (unsigned)atomic_exchange(&s->waiting, 0));
}

static const struct hp_mqtt_ops ops = { .connected = connected, .lost = lost, .published = published };

static void set_topic(struct mqtt *m)
{
	const struct hp_stream *from = m->host->stream(m->host);
	const char *device = from->device && *from->device ? from->device : "unknown";
	const char *serial = from->serial && *from->serial ? from->serial : "unknown";
	if (!hp_mqtt_topic(m->topic, m->host->name, device, serial, m->state->topic, sizeof m->state->topic))
		snprintf(m->state->topic, sizeof m->state->topic, "headpipe/%s/pose",
		         m->host->name); /* a name beyond all limits */
}

static int mqtt_open(void *self, const struct hp_host *host)
{
	struct mqtt *m = self;
	struct state *s = m->state = calloc(1, sizeof *s);
	if (!s)
		return -ENOMEM;
	m->host = host;
	s->options = m->options;
	set_topic(m);
	if (m->status && hp_mqtt_topic(m->status_topic, host->name, NULL, NULL, s->status, sizeof s->status))
		s->session.will = s->status;
	int r = hp_mqtt_open(&s->session, host, &s->options, &ops, s);
	if (r == 0)
		r = hp_mqtt_start(&s->session);
	if (r < 0 && hp_mqtt_close(&s->session))
		free(s);
	return r;
}

static int mqtt_send(void *self, const void *data, size_t size)
{
	struct mqtt *m = self;
	struct state *s = m->state;
	if (atomic_load(&s->session.connected) && atomic_load(&s->waiting) >= m->queue) {
		if (s->dropped++ == 0)
			m->host->log(m->host, HP_LOG_WARN,
			             "the broker is too slow, samples are dropped; their number is told at the end");
		return HP_DROP;
	}
	int rc = hp_mqtt_publish(&s->session, &s->waiting, s->topic, data, size, m->options.qos, m->retain);
	if (rc == MOSQ_ERR_SUCCESS)
		return 0;
	return rc == MOSQ_ERR_NO_CONN || rc == MOSQ_ERR_CONN_LOST ? (s->absent++, HP_DROP)
	       : rc == MOSQ_ERR_NOMEM                             ? -ENOMEM
	                                                          : -EIO;
}

static void mqtt_event(void *self, const struct hp_event *e)
{
	if (e->type == HP_CONNECTED)
		set_topic(self);
}

static void mqtt_stop(void *self)
{
	struct mqtt *m = self;
	struct state *s = m->state;
	hp_mqtt_stop(&s->session, *s->status ? s->status : NULL, "offline");
}

static void mqtt_close(void *self)
{
	struct mqtt *m = self;
	struct state *s = m->state;
	char text[240];
	if (!hp_mqtt_close(&s->session))
		return; /* its thread still looks at the state */
	unsigned long long sent = atomic_load(&s->sent),
	                   way = atomic_load(&s->on_way) + (unsigned)atomic_load(&s->waiting);
	if (s->dropped || s->absent || way) {
		snprintf(text, sizeof text,
		         "%llu samples sent, %llu dropped because the broker was slow, %llu while it was away, %llu "
		         "on their way when it went",
		         sent, (unsigned long long)s->dropped, (unsigned long long)s->absent, way);
		m->host->log(m->host, HP_LOG_WARN, text);
	}
	free(s);
}

HP_MODULE(mqtt) = {
	HP_MODULE_HEAD,      .kind = HP_OUTPUT,
	.name = "mqtt",      .summary = "any encoding to a topic of an MQTT broker",
	.options = options,  .state_size = sizeof(struct mqtt),
	.check = mqtt_check, .open = mqtt_open,
	.send = mqtt_send,   .event = mqtt_event,
	.stop = mqtt_stop,   .close = mqtt_close,
	.encoding = "json",
};

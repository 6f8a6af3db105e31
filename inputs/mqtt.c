/* SPDX-License-Identifier: MIT
 * mqtt.c - samples from a topic of an MQTT broker, one JSON object per message. One section is one headset: when a
 * pattern matches several topics, the first that speaks is it. */
#include "door.h"
#include "io/broker.h"
#include "json_sample.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TOPIC_MAX = 1024 };

struct mqtt {
	struct hp_mqtt_options options;
	const char *topic;
	int clock;

	struct state *state;
};
/* The session's thread works on this alone; see outputs/mqtt.c. */
struct state {
	struct hp_mqtt session;
	struct hp_mqtt_options options;
	const struct hp_host *host;
	char pattern[TOPIC_MAX], topic[TOPIC_MAX]; /* topic: the one that speaks */
	char device[HP_JSON_DEVICE_MAX];
	int qos, clock;
	bool described, jump, told_other;
	uint32_t reset_count;
	uint64_t good, bad, bad_told;
	int64_t bad_second;
	struct hp_door door;
};
static const struct hp_option options[] = {
	HP_OPT_STR(struct mqtt, topic, "headpipe/+/pose", "what to listen to; + and # may stand for parts of it"),
	HP_OPT_ENUM(struct mqtt, clock, "arrival", "arrival|message",
	            "time of a sample: when it arrived, or `time_ns` of the message (on CLOCK_MONOTONIC)"),
	HP_MQTT_OPTIONS(struct mqtt, options), HP_OPT_END
};

static int mqtt_check(const void *self, const char **key, char *why, size_t size)
{
	const struct mqtt *m = self;
	if (!*m->topic || strlen(m->topic) >= TOPIC_MAX || mosquitto_sub_topic_check(m->topic) != MOSQ_ERR_SUCCESS) {
		*key = "topic";
		snprintf(why, size, "no topic: + and # stand for whole parts between /, # only at the end");
		return -EINVAL;
	}
	return hp_mqtt_check(&m->options, key, why, size);
}

static void post_event(struct state *s, uint32_t type, int64_t now, int64_t value, const char *text)
{
	struct hp_event e = { .struct_size = sizeof e, .type = type, .time_ns = now, .value = value, .text = text };
	s->host->post(s->host, &(struct hp_item){ .struct_size = sizeof(struct hp_item), .event = &e });
}

static void complain(struct state *s, int64_t now, const char *topic, const char *why)
{
	char text[400];
	s->bad++;
	if (now / 1000000000 == s->bad_second && s->bad > 1)
		return;
	s->bad_second = now / 1000000000;
	snprintf(text, sizeof text, "message on %.100s: %s; dropped", topic, why);
	if (s->bad - s->bad_told > 1)
		snprintf(text + strlen(text), sizeof text - strlen(text), " (and %llu before it)",
		         (unsigned long long)(s->bad - s->bad_told - 1));
	s->bad_told = s->bad;
	s->host->log(s->host, HP_LOG_WARN, text);
}

static bool from_ours(struct state *s, const char *topic)
{
	char text[400];
	if (!*s->topic)
		snprintf(s->topic, sizeof s->topic, "%s", topic);
	if (!strcmp(s->topic, topic))
		return true;
	if (!s->told_other) {
		snprintf(text, sizeof text, "listening to %.100s; %.100s is passed over (one section is one headset)",
		         s->topic, topic);
		s->host->log(s->host, HP_LOG_WARN, text);
	}
	s->told_other = true;
	return false;
}

static void message(void *arg, const struct mosquitto_message *m)
{
	struct state *s = arg;
	struct hp_json_sample got;
	char why[200];
	int64_t now = s->host->now(s->host);
	if (m->retain || !from_ours(s, m->topic)) /* a retained pose is of another time */
		return;
	if (hp_json_to_sample(m->payload, (size_t)m->payloadlen, &got, why, sizeof why) < 0) {
		complain(s, now, m->topic, why);
		return;
	}
	if (s->clock == 1 && !got.has_time) {
		complain(s, now, m->topic, "no time_ns in it, which clock = message needs");
		return;
	}
	int64_t step = 0;
	enum hp_door_says says = s->clock == 1 ? hp_door_judge(&s->door, &got.sample, now, &step) : HP_DOOR_GOOD;
	if (says == HP_DOOR_LATE || says == HP_DOOR_DUPLICATE)
		return;
	if (!s->described || (*got.device && strcmp(got.device, s->device))) {
		snprintf(s->device, sizeof s->device, "%.*s", HP_JSON_DEVICE_MAX - 1,
		         *got.device ? got.device : s->topic);
		s->host->describe(s->host,
		                  &(struct hp_stream){ .struct_size = sizeof(struct hp_stream), .device = s->device });
		post_event(s, HP_CONNECTED, now, 0, s->device);
		s->described = s->jump = true;
	}
	if (!got.has_reset_count)
		got.sample.reset_count = s->reset_count;
	if (s->good && got.sample.reset_count != s->reset_count) {
		post_event(s, HP_REFERENCE_RESET, now, got.sample.reset_count, NULL);
		s->jump = true;
	}
	s->reset_count = got.sample.reset_count;
	if (s->clock == 0)
		got.sample.time_ns = now;
	if (says == HP_DOOR_STEP)
		post_event(s, HP_CLOCK_STEP, now, step, "the sender's clock was set");
	got.sample.arrival_ns = now;
	got.sample.flags |= s->jump ? HP_JUMP : 0u;
	s->jump = false;
	s->good++;
	s->host->post(s->host, &(struct hp_item){
	                           .struct_size = sizeof(struct hp_item),
	                           .nsamples = 1,
	                           .samples = &got.sample,
	                       });
}

static void connected(void *arg, struct mosquitto *client)
{
	struct state *s = arg;
	mosquitto_subscribe(client, NULL, s->pattern, s->qos);
}

static void lost(void *arg)
{
	struct state *s = arg;
	if (s->described)
		post_event(s, HP_DISCONNECTED, s->host->now(s->host), 0, "the connection to the broker has ended");
	s->described = false;
	hp_door_again(&s->door);
	s->topic[0] = 0; /* after a reconnect another one may speak first */
}

static const struct hp_mqtt_ops ops = { .connected = connected, .lost = lost, .message = message };

static int mqtt_open(void *self, const struct hp_host *host)
{
	struct mqtt *m = self;
	struct state *s = m->state = calloc(1, sizeof *s);
	if (!s)
		return -ENOMEM;
	s->host = host;
	s->options = m->options;
	s->qos = m->options.qos;
	s->clock = m->clock;
	snprintf(s->pattern, sizeof s->pattern, "%s", m->topic);
	int r = hp_mqtt_open(&s->session, host, &s->options, &ops, s);
	if (r < 0 && hp_mqtt_close(&s->session))
		free(s);
	return r;
}

static int mqtt_start(void *self)
{
	struct mqtt *m = self;
	return hp_mqtt_start(&m->state->session);
}

static void mqtt_stop(void *self)
{
	struct mqtt *m = self;
	hp_mqtt_stop(&m->state->session, NULL, NULL);
}

static void mqtt_close(void *self)
{
	struct mqtt *m = self;
	struct state *s = m->state;
	char text[200];
	if (hp_door_summary(&s->door, text, sizeof text))
		s->host->log(s->host, HP_LOG_WARN, text);
	if (s->bad) {
		snprintf(text, sizeof text, "%llu samples, %llu messages that were none", (unsigned long long)s->good,
		         (unsigned long long)s->bad);
		s->host->log(s->host, HP_LOG_WARN, text);
	}
	if (hp_mqtt_close(&s->session))
		free(s);
}

HP_MODULE(mqtt) = {
	HP_MODULE_HEAD,      .kind = HP_INPUT,
	.name = "mqtt",      .summary = "samples from a topic of an MQTT broker, one JSON object per message",
	.options = options,  .state_size = sizeof(struct mqtt),
	.check = mqtt_check, .open = mqtt_open,
	.start = mqtt_start, .stop = mqtt_stop,
	.close = mqtt_close,
};

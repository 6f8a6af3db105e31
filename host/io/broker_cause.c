/* SPDX-License-Identifier: MIT
 * broker_cause.c - why an MQTT connection ended or never came about, as a sentence with its cure. */
#include "broker.h"
#include <errno.h>
#include <mqtt_protocol.h>
#include <string.h>

void hp_mqtt_reason(const struct hp_mqtt *m, int reason, char *text, size_t size)
{
	const struct hp_mqtt_options *o = m->options;
	switch (reason) {
	case CONNACK_REFUSED_BAD_USERNAME_PASSWORD:
	case CONNACK_REFUSED_NOT_AUTHORIZED:
	case MQTT_RC_BAD_USERNAME_OR_PASSWORD:
	case MQTT_RC_NOT_AUTHORIZED:
		if (m->connected_at)
			snprintf(text, size, "the broker has taken away the right to be connected (not authorized)");
		else
			snprintf(text, size, "%s",
			         *o->user ? "the broker refuses this user and password"
			                  : "the broker wants a user and a password: set `user` and `password_file`");
		break;
	case MQTT_RC_SESSION_TAKEN_OVER:
		snprintf(text, size,
		         "another client has connected with the same client_id `%s`: give each a client_id of its own, "
		         "or none",
		         o->client_id);
		break;
	case MQTT_RC_SERVER_SHUTTING_DOWN:
		snprintf(text, size, "the broker is shutting down");
		break;
	case CONNACK_REFUSED_IDENTIFIER_REJECTED:
	case MQTT_RC_CLIENTID_NOT_VALID:
		snprintf(text, size, "the broker does not accept the client_id `%s`", o->client_id);
		break;
	case MQTT_RC_BANNED:
		snprintf(text, size, "the broker has banned this client");
		break;
	default:
		snprintf(text, size, "the broker says: %s", mosquitto_reason_string(reason));
	}
}

static bool tls_cause(const struct hp_mqtt *m, char *text, size_t size)
{
	const struct hp_mqtt_options *o = m->options;
	if (strstr(m->tls_said, "host name")) {
		snprintf(text, size,
		         "the broker's certificate is made out for another name than `%s`: write the name that is in "
		         "the certificate as `broker`",
		         o->broker.at[0].host);
		return true;
	}
	if (strstr(m->tls_said, "certificate verify failed")) {
		if (*o->ca_file)
			snprintf(text, size,
			         "the broker's certificate is out of date or not signed by an authority in %s: check "
			         "ca_file",
			         o->ca_file);
		else
			snprintf(text, size,
			         "the broker's certificate is out of date or not signed by an authority this computer "
			         "knows: ca_file = FILE names one to trust");
		return true;
	}
	if (strstr(m->tls_said, "wrong version number") || strstr(m->tls_said, "unexpected eof")) {
		snprintf(text, size, "no TLS spoken on this port: is it the port for TLS (8883 is usual)?");
		return true;
	}
	if (*m->tls_said)
		snprintf(text, size, "TLS: %s", m->tls_said);
	return *m->tls_said;
}

void hp_mqtt_cause(const struct hp_mqtt *m, int rc, int error, char *text, size_t size)
{
	const struct hp_mqtt_options *o = m->options;
	if (tls_cause(m, text, size))
		return;
	switch (rc) {
	case MOSQ_ERR_KEEPALIVE:
		snprintf(text, size, "no sign of life from the broker; the connection is given up");
		return;
	case MOSQ_ERR_EAI:
		snprintf(text, size, "the name is not known");
		return;
	case MOSQ_ERR_ERRNO:
		if (error == ETIMEDOUT && !m->connected_at)
			snprintf(text, size, "no answer");
		else
			snprintf(text, size, "%s", strerror(error ? error : EIO));
		return;
	case MOSQ_ERR_CONN_LOST:
	case MOSQ_ERR_CONN_REFUSED:
		if (m->short_lives >= 2 && m->connected_at && *o->client_id)
			snprintf(text, size,
			         "the broker closes the connection again and again: does another client use the "
			         "client_id `%s`?",
			         o->client_id);
		else if (m->connected_at)
			snprintf(text, size, "the connection was lost");
		else
			snprintf(text, size, "the broker closed the connection before it answered%s",
			         o->tls ? ": is this the port for TLS (8883 is usual)?"
			                : ": does this port want `tls = yes`?");
		return;
	default:
		snprintf(text, size, "%s", mosquitto_strerror(rc));
	}
}

/* SPDX-License-Identifier: MIT
 * topic.c - MQTT topics from patterns with words in braces. */
#include "broker.h"
#include <string.h>
#include <unistd.h>

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

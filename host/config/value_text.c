/* SPDX-License-Identifier: MIT
 * value_text.c - numbers, times and addresses from text, strictly and whatever the locale. */
#include "value_text.h"
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t c_locale;

static void make_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* A module may have called setlocale(): numbers are read and written under "C" on this thread. */
static locale_t enter_c(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_locale);
	return uselocale(c_locale);
}

static size_t digits(const char *s)
{
	size_t n = 0;
	while (s[n] >= '0' && s[n] <= '9')
		n++;
	return n;
}

static int fail(char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return -1;
}

int hp_text_to_int(const char *text, int64_t *value, char *why, size_t why_size)
{
	const char *s = text;
	bool minus = *s == '-';
	uint64_t n = 0, limit = minus ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
	s += *s == '-' || *s == '+';
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	unsigned base = hex ? 16 : 10;
	s += hex ? 2 : 0;
	if (!*s)
		return fail(why, why_size, "not a whole number");
	bool big = false;
	for (; *s; s++) {
		unsigned digit = *s >= '0' && *s <= '9'          ? (unsigned)(*s - '0')
		                 : hex && *s >= 'a' && *s <= 'f' ? (unsigned)(*s - 'a' + 10)
		                 : hex && *s >= 'A' && *s <= 'F' ? (unsigned)(*s - 'A' + 10)
		                                                 : 99;
		if (digit == 99)
			return fail(why, why_size, "not a whole number");
		big = big || n > (limit - digit) / base;
		n = n * base + digit;
	}
	if (big)
		return fail(why, why_size, "out of range");
	*value = minus ? (int64_t)(0 - n) : (int64_t)n;
	return 0;
}

/* Length of [digits][.digits] at s, 0 = there is no digit. */
static size_t decimal(const char *s)
{
	size_t whole = digits(s), part = s[whole] == '.' ? digits(s + whole + 1) : 0;
	return whole + part == 0 ? 0 : whole + (s[whole] == '.' ? 1 + part : 0);
}

int hp_text_to_real(const char *text, double *value, char *why, size_t why_size)
{
	const char *s = text + (*text == '-' || *text == '+');
	size_t n = decimal(s);
	if (n && (s[n] == 'e' || s[n] == 'E')) {
		size_t sign = s[n + 1] == '-' || s[n + 1] == '+', exponent = digits(s + n + 1 + sign);
		n += exponent ? 1 + sign + exponent : 0;
	}
	if (n && s[n] == ',' && digits(s + n + 1))
		return fail(why, why_size, "not a number; write a point, not a comma");
	if (n == 0 || s[n])
		return fail(why, why_size, "not a number");
	locale_t old = enter_c();
	*value = strtod(text, NULL);
	uselocale(old);
	if (isinf(*value))
		return fail(why, why_size, "out of range");
	return 0;
}

static const struct {
	const char *name;
	int64_t ns;
} units[] = { { "ns", 1 },         { "us", 1000 },         { "ms", 1000000 },
	      { "s", 1000000000 }, { "min", 60000000000 }, { "h", 3600000000000 } };

int hp_text_to_ns(const char *text, int64_t *value, char *why, size_t why_size)
{
	bool minus = *text == '-';
	const char *s = text + (*text == '-' || *text == '+');
	size_t n = decimal(s), whole = digits(s);
	if (n == 0)
		return fail(why, why_size, "not a time");
	const char *unit = s + n + strspn(s + n, " \t");
	int64_t scale = 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i].name) == 0)
			scale = units[i].ns;
	if (!*unit && strspn(s, "0.") == n)
		scale = 1;
	if (*unit == ',' && digits(unit + 1))
		return fail(why, why_size, "not a time; write a point, not a comma");
	if (!scale)
		return fail(why, why_size,
		            *unit ? "not a time; units are ns, us, ms, s, min, h"
		                  : "a time needs a unit: ns, us, ms, s, min or h");
	/* exact: whole and tenths, hundredths ... as integers, far from overflow */
	__extension__ __int128 total = 0, step = scale;
	for (size_t i = 0; i < whole; i++) {
		total = total * 10 + (s[i] - '0');
		if (total > INT64_MAX)
			return fail(why, why_size, "out of range");
	}
	total *= scale;
	for (size_t i = whole + 1; i < n; i++) {
		if (s[i] != '0' && step % 10)
			return fail(why, why_size, "finer than a nanosecond");
		step /= 10;
		total += step * (s[i] - '0');
	}
	if (total > INT64_MAX)
		return fail(why, why_size, "out of range");
	*value = minus ? -(int64_t)total : (int64_t)total;
	return 0;
}

/* The host of an address: not empty, fits, and a number where it looks like one. */
static int check_host(const char *host, bool brackets, char *why, size_t why_size)
{
	struct in6_addr bytes;
	char bare[256];
	if (brackets) {
		size_t n = strcspn(host, "%");
		memcpy(bare, host, n);
		bare[n] = '\0';
		if (inet_pton(AF_INET6, bare, &bytes) != 1 || (host[n] && !host[n + 1])) {
			snprintf(why, why_size, "`%s` is not an IPv6 address", host);
			return -1;
		}
		return 0;
	}
	if (!host[digits(host)]) {
		snprintf(why, why_size, "`%s` is not an address; a port alone is written :%s", host, host);
		return -1;
	}
	if (!host[strspn(host, "0123456789.")]) {
		if (inet_pton(AF_INET, host, &bytes) == 1)
			return 0;
		snprintf(why, why_size, "`%s` is not an IPv4 address", host);
		return -1;
	}
	for (const char *s = host; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || digits(s) || *s == '-' || *s == '.' ||
		      *s == '_')) {
			snprintf(why, why_size, "`%s` is not a host name", host);
			return -1;
		}
	return 0;
}

static int one_addr(char *text, uint16_t default_port, struct hp_addr *addr, char *why, size_t why_size)
{
	char *host = text, *port = NULL;
	bool brackets = *text == '[';
	if (strstr(text, "://")) {
		snprintf(why, why_size, "`%s` is a URL; an address is host:port", text);
		return -1;
	}
	if (brackets) {
		char *end = strchr(text, ']');
		if (!end || (end[1] && end[1] != ':')) {
			snprintf(why, why_size, "`%s` is not [IPv6]:port", text);
			return -1;
		}
		port = end[1] ? end + 2 : NULL;
		host = text + 1;
		*end = '\0';
	} else if ((port = strchr(text, ':'))) {
		if (strchr(port + 1, ':')) {
			snprintf(why, why_size, "`%s`: an IPv6 address stands in brackets, like [::1]:4242", text);
			return -1;
		}
		*port++ = '\0';
		if (!*host)
			host = (char *)"127.0.0.1";
	}
	if (strlen(host) >= sizeof addr->host)
		return fail(why, why_size, "a host name has at most 255 bytes");
	if (check_host(host, brackets, why, why_size) < 0)
		return -1;
	memset(addr, 0, sizeof *addr); /* no bytes of chance behind the name */
	memcpy(addr->host, host, strlen(host));
	if (!port && !default_port) {
		snprintf(why, why_size, "`%s` has no port", host);
		return -1;
	}
	addr->port = default_port;
	if (port) {
		long number = strlen(port) <= 5 && *port && !port[digits(port)] ? strtol(port, NULL, 10) : 0;
		if (number < 1 || number > 65535)
			return fail(why, why_size, "port must be 1 to 65535");
		addr->port = (uint16_t)number;
	}
	return 0;
}

int hp_text_to_addrs(const char *text, uint16_t default_port, struct hp_addr *at, uint32_t *n, char *why,
                     size_t why_size)
{
	char word[300];
	bool comma = true; /* an address must follow */
	*n = 0;
	for (;;) {
		text += strspn(text, " \t");
		size_t size = strcspn(text, " \t,");
		if (size == 0 && *text == ',' && !comma) {
			comma = true;
			text++;
			continue;
		}
		if (size == 0 && !*text && !comma)
			return 0;
		if (size == 0)
			return fail(why, why_size, *n || *text ? "an address is missing at a comma" : "no address");
		if (size >= sizeof word)
			return fail(why, why_size, "a host name has at most 255 bytes");
		if (*n >= HP_ADDRS_MAX)
			return fail(why, why_size, "more than 64 addresses");
		memcpy(word, text, size);
		word[size] = '\0';
		if (one_addr(word, default_port, &at[*n], why, why_size) < 0)
			return -1;
		++*n;
		comma = false;
		text += size;
	}
}

void hp_real_to_text(double value, char *buf, size_t size)
{
	double magnitude = fabs(value);
	locale_t old = enter_c();
	if (magnitude == floor(magnitude) && magnitude < 1e18)
		snprintf(buf, size, "%.0f", value);
	else
		snprintf(buf, size, "%.15g", value);
	uselocale(old);
}

void hp_seconds_to_text(double seconds, char *buf, size_t size)
{
	double magnitude = fabs(seconds);
	static const struct {
		const char *unit;
		double from, scale;
	} steps[] = { { "h", 3600, 1.0 / 3600 }, { "min", 60, 1.0 / 60 }, { "s", 1, 1 },
		      { "ms", 1e-3, 1e3 },       { "us", 1e-6, 1e6 },     { "ns", 0, 1e9 } };
	char number[40];
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		double scaled = seconds * steps[i].scale;
		/* 90 s rather than 1.5min */
		if (magnitude < steps[i].from * (1 - 1e-12) || (i < 2 && scaled != floor(scaled)))
			continue;
		hp_real_to_text(i > 2 ? round(scaled * 1e6) / 1e6 : scaled, number, sizeof number);
		snprintf(buf, size, "%s%s", number, seconds == 0 ? "" : steps[i].unit);
		return;
	}
}

const char *hp_choice(const char *choices, int i, size_t *length)
{
	while (choices && i-- > 0) {
		choices = strchr(choices, '|');
		choices = choices ? choices + 1 : NULL;
	}
	if (choices)
		*length = strcspn(choices, "|");
	return choices;
}

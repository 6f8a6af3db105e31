/* SPDX-License-Identifier: MIT
 * text.h (plain) - what the encoders send, made with printf and memcpy in the most obvious way. */
#ifndef PLAIN_TEXT_H
#define PLAIN_TEXT_H
#include "headpipe.h"

/* The JSON object, not-a-numbers printed as printf does. Returns the length, or -1 when size is too small. */
int plain_json(const struct hp_sample *, const char *device, char *out, size_t size);
/* The OpenTrack datagram, 48 bytes. */
void plain_opentrack(const struct hp_sample *, uint8_t out[48]);
/* The MessagePack map of docs/wire-formats.md; device must be valid UTF-8 of at most 256 bytes, or NULL. Returns the
 * length; at most 1024 bytes. */
int plain_msgpack(const struct hp_sample *, const char *device, uint8_t *out);
#endif

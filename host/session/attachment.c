/* SPDX-License-Identifier: MIT
 * attachment.c - reads files inside a session file, and copies them into another; of any size, in small pieces. */
#include <errno.h>
#include <stdio.h>

#include "reader.h"
#include "writer.h"

enum { NAME_MAX_ = 1 << 20, BLOCK = 1 << 16 };

/* A string of the record whose length stands at *at. */
static int text_at(struct hps_reader *r, uint64_t *at, uint64_t end, char **text)
{
	uint8_t size[4];
	*text = NULL;
	if (end - *at < 4 || hps_read_at(r, *at, size, 4) < 0)
		return -EBADMSG;
	uint32_t n = hps_u32_at(size);
	*at += 4;
	if (n > end - *at || n > NAME_MAX_)
		return -EBADMSG;
	*text = malloc(n + 1u);
	if (!*text)
		return -ENOMEM;
	int code = hps_read_at(r, *at, *text, n);
	(*text)[n] = 0;
	*at += n;
	return code;
}

int hps_attachment_parts(struct hps_reader *r, uint64_t offset, uint64_t length, struct hps_parts *p)
{
	uint8_t head[HPS_HEAD + 16], size[8];
	uint64_t at = offset + sizeof head, end = offset + length;
	memset(p, 0, sizeof *p);
	if (length < sizeof head || offset > r->size || length > r->size - offset ||
	    hps_read_at(r, offset, head, sizeof head) < 0 || head[0] != HPS_OP_ATTACHMENT ||
	    hps_u64_at(head + 1) != length - HPS_HEAD)
		return -EBADMSG;
	p->log_time = hps_u64_at(head + HPS_HEAD);
	p->create_time = hps_u64_at(head + HPS_HEAD + 8);
	int code = text_at(r, &at, end, &p->name);
	if (!code)
		code = text_at(r, &at, end, &p->media_type);
	if (!code && (end - at < 8 || hps_read_at(r, at, size, 8) < 0))
		code = -EBADMSG;
	p->body = at + 8;
	p->size = code ? 0 : hps_u64_at(size);
	if (!code && (end - p->body < 4 || p->size > end - p->body - 4 || (r->ours && p->size != end - p->body - 4)))
		code = -EBADMSG;
	if (code)
		hps_parts_free(p);
	return code;
}

void hps_parts_free(struct hps_parts *p)
{
	free(p->name);
	free(p->media_type);
	p->name = p->media_type = NULL;
}

bool hps_attachment_crc(struct hps_reader *r, uint64_t offset, const struct hps_parts *p)
{
	uint8_t want[4];
	uint32_t have = 0;
	return !hps_crc_of(r, offset + HPS_HEAD, p->body + p->size, &have) &&
	       !hps_read_at(r, p->body + p->size, want, 4) && hps_crc_agrees(r, hps_u32_at(want), have);
}

/* The record that an entry of the list is about; free it. */
static int find(struct hps_reader *r, size_t index, struct hps_parts *p)
{
	if (index >= r->nattachments)
		return hps_error(r, -ENOENT, "there are %zu attachments", r->nattachments);
	const struct hps_place *place = &r->attachments[index];
	int code = hps_attachment_parts(r, place->offset, place->length, p);
	if (code == -EBADMSG)
		return hps_error(r, code, "attachment %.100s: broken record, or not where the index says", place->name);
	if (code)
		return hps_error(r, code, "out of memory");
	if (p->size != place->size)
		code = hps_error(r, -EBADMSG, "attachment %.100s: its size is not what the index says", place->name);
	else if (!hps_attachment_crc(r, place->offset, p))
		code = hps_error(r, -EBADMSG, "attachment %.100s: wrong CRC", place->name);
	if (code)
		hps_parts_free(p);
	return code;
}

int hps_attachment_read(struct hps_reader *r, size_t index, void *buf, size_t size)
{
	struct hps_parts p;
	int code = find(r, index, &p);
	if (code)
		return code;
	if (p.size && size)
		code = hps_read_at(r, p.body, buf, p.size < size ? (size_t)p.size : size);
	hps_parts_free(&p);
	return code;
}

static int put_all(struct hps_writer *w, struct hps_reader *r, const struct hps_parts *p, struct hps_out *head)
{
	uint8_t *block = malloc(BLOCK), crc_bytes[4];
	if (!block || head->failed) {
		free(block);
		return -ENOMEM;
	}
	uint32_t crc = hps_crc32(0, head->data + HPS_HEAD, head->size - HPS_HEAD);
	int code = hps_put_bytes(w, head->data, head->size);
	for (uint64_t at = 0; at < p->size && !code; at += BLOCK) {
		size_t n = p->size - at < BLOCK ? (size_t)(p->size - at) : BLOCK;
		code = hps_read_at(r, p->body + at, block, n);
		crc = hps_crc32(crc, block, n);
		if (code)
			hps_fail(w, code); /* the record has begun: the new file cannot be good any more */
		else
			code = hps_put_bytes(w, block, n);
	}
	hps_put_u32(crc_bytes, crc);
	if (!code)
		code = hps_put_bytes(w, crc_bytes, sizeof crc_bytes);
	free(block);
	return code;
}

int hps_copy_attachment(struct hps_writer *w, struct hps_reader *r, size_t index)
{
	struct hps_parts p;
	int code = find(r, index, &p);
	if (code)
		return code;
	code = hps_flush(w);
	if (code < 0) {
		hps_parts_free(&p);
		return code;
	}
	uint64_t offset = w->offset;
	struct hps_out head = { 0 };
	hps_out_begin(&head, HPS_OP_ATTACHMENT);
	hps_out_u64(&head, p.log_time);
	hps_out_u64(&head, p.create_time);
	hps_out_string(&head, p.name);
	hps_out_string(&head, p.media_type);
	hps_out_u64(&head, p.size);
	if (!head.failed)
		hps_put_u64(head.data + 1, head.size - HPS_HEAD + p.size + 4);
	code = put_all(w, r, &p, &head);
	struct hps_out *x = &w->attachment_indexes;
	size_t begin = hps_out_begin(x, HPS_OP_ATTACHMENT_INDEX);
	hps_out_u64(x, offset);
	hps_out_u64(x, head.size + p.size + 4);
	hps_out_u64(x, p.log_time);
	hps_out_u64(x, p.create_time);
	hps_out_u64(x, p.size);
	hps_out_string(x, p.name);
	hps_out_string(x, p.media_type);
	hps_out_end(x, begin);
	if (!code && x->failed)
		code = hps_fail(w, -ENOMEM);
	w->nattachments += !code;
	free(head.data);
	hps_parts_free(&p);
	return code;
}

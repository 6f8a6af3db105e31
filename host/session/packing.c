/* SPDX-License-Identifier: MIT
 * packing.c - the ways a chunk may be packed: by name, and back to its records. */
#include <errno.h>

#include "lean.h"
#include "reader.h"

const char *hps_packing_name(const struct hps_rchunk *c)
{
	return c->packing == HPS_PACK_ZSTD    ? "zstd"
	       : c->packing == HPS_PACK_LZ4   ? "lz4"
	       : c->packing == HPS_PACK_LEAN  ? "lean"
	       : c->packing == HPS_PACK_OTHER ? c->other
	                                      : "";
}

bool hps_packing_by_name(struct hps_in name, uint8_t *packing, char other[8])
{
	size_t n = (size_t)(name.end - name.p);
	if (n >= 8)
		return false;
	*packing = !n                                     ? HPS_PACK_NONE
	           : n == 4 && !memcmp(name.p, "zstd", 4) ? HPS_PACK_ZSTD
	           : n == 3 && !memcmp(name.p, "lz4", 3)  ? HPS_PACK_LZ4
	           : n == 4 && !memcmp(name.p, "lean", 4) ? HPS_PACK_LEAN
	                                                  : HPS_PACK_OTHER;
	memset(other, 0, 8);
	for (size_t i = 0; i < n && *packing == HPS_PACK_OTHER; i++) {
		uint8_t c = name.p[i];
		other[i] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? (char)c : '?';
	}
	return true;
}

/* What pack_chunk.c made; n bytes of it are in the scratch. */
static int unpack_columns(struct hps_reader *r, size_t n, uint64_t raw, uint8_t *out)
{
	uint32_t size = n < 4 ? 0 : hps_u32_at(r->scratch);
	if (!size || size > hps_lean_bound(raw))
		return -EBADMSG;
	uint8_t *columns = malloc(size);
	int code = columns ? hps_zstd_unpack(&r->zstd, r->scratch + 4, n - 4, size, columns) : -ENOMEM;
	if (!code)
		code = hps_lean_unpack(columns, size, out, (size_t)raw);
	free(columns);
	return code;
}

int hps_unpack(struct hps_reader *r, const struct hps_rchunk *c, uint64_t from, uint8_t **block)
{
	size_t n = (size_t)c->packed;
	if (n > r->scratch_room) {
		free(r->scratch);
		r->scratch = malloc(n);
		r->scratch_room = r->scratch ? n : 0;
	}
	uint8_t *out = *block = malloc((size_t)c->raw + 1);
	int code = r->scratch && out ? hps_read_at(r, from, r->scratch, n) : -ENOMEM;
	if (code)
		return code == -ENOMEM ? hps_error(r, code, "out of memory") : code;
	bool lz4 = c->packing == HPS_PACK_LZ4;
	code = lz4                           ? hps_lz4_unpack(&r->lz4, r->scratch, n, c->raw, out)
	       : c->packing == HPS_PACK_LEAN ? unpack_columns(r, n, c->raw, out)
	                                     : hps_zstd_unpack(&r->zstd, r->scratch, n, c->raw, out);
	if (code == -ENOTSUP)
		return hps_error(r, code,
		                 "the chunk at byte %llu is packed with %s: reading it needs lib%s, which this "
		                 "build lacks",
		                 (unsigned long long)c->offset, hps_packing_name(c), lz4 ? "lz4" : "zstd");
	return code == -ENOMEM ? hps_error(r, code, "out of memory")
	       : code ? hps_error(r, code, "the chunk at byte %llu cannot be unpacked", (unsigned long long)c->offset)
	              : 0;
}

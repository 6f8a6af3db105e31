/* SPDX-License-Identifier: MIT
 * crc.c - CRC-32 of blocks: by libdeflate when it is there, which is several times as fast, else by zlib. */
#include <zlib.h>

#include "have.h"
#include "record.h"

#if HP_HAVE_LIBDEFLATE
#include <libdeflate.h>

uint32_t hps_crc32(uint32_t crc, const void *data, size_t n)
{
	return libdeflate_crc32(crc, data, n);
}
#else
uint32_t hps_crc32(uint32_t crc, const void *data, size_t n)
{
	return (uint32_t)crc32_z(crc, data, n);
}
#endif

uint32_t hps_crc32_join(uint32_t first, uint32_t second, uint64_t second_size)
{
	return (uint32_t)crc32_combine(first, second, (z_off_t)second_size);
}

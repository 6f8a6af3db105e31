/* SPDX-License-Identifier: MIT
 * layout.c - sizes and offsets that modules were built with, on machines with 64-bit longs and pointers. Members are
 * only ever appended: what stands here stays. */
#include <assert.h>
#include <headpipe.h>

#ifdef __LP64__
#define AT(type, field, offset) static_assert(offsetof(struct type, field) == (offset), #type "." #field)
#define SIZE(type, size)        static_assert(sizeof(struct type) == (size), #type)

static_assert(sizeof(struct hp_sample) >= 256, "hp_sample only grows");
AT(hp_sample, flags, 0);
AT(hp_sample, source, 4);
AT(hp_sample, seq, 8);
AT(hp_sample, time_ns, 16);
AT(hp_sample, arrival_ns, 24);
AT(hp_sample, device_ns, 32);
AT(hp_sample, quat, 40);
AT(hp_sample, rotvec, 72);
AT(hp_sample, ypr, 96);
AT(hp_sample, pos, 120);
AT(hp_sample, gyro, 144);
AT(hp_sample, accel, 168);
AT(hp_sample, rate_hz, 192);
AT(hp_sample, latency_ms, 200);
AT(hp_sample, reset_count, 208);
AT(hp_sample, angvel, 216);
AT(hp_sample, confidence, 240);
AT(hp_sample, spare, 248);

AT(hp_raw, struct_size, 0);
AT(hp_raw, size, 4);
AT(hp_raw, data, 8);
AT(hp_raw, time_ns, 16);

AT(hp_event, struct_size, 0);
AT(hp_event, type, 4);
AT(hp_event, time_ns, 8);
AT(hp_event, value, 16);
AT(hp_event, text, 24);

AT(hp_item, struct_size, 0);
AT(hp_item, nsamples, 4);
AT(hp_item, raw, 8);
AT(hp_item, event, 16);
AT(hp_item, samples, 24);

AT(hp_stream, struct_size, 0);
AT(hp_stream, source, 4);
AT(hp_stream, device, 8);
AT(hp_stream, serial, 16);
AT(hp_stream, unique_id, 24);
AT(hp_stream, descriptor, 32);
AT(hp_stream, descriptor_size, 40);
AT(hp_stream, vendor, 44);
AT(hp_stream, product, 46);
AT(hp_stream, rate_start_ns, 48);
AT(hp_stream, report_size, 56);
AT(hp_stream, flags, 60);
AT(hp_stream, features, 64);

SIZE(hp_addr, 258);
AT(hp_addr, port, 256);
SIZE(hp_addrs, 16);
AT(hp_addrs, at, 8);
SIZE(hp_list, 16);
AT(hp_list, at, 8);

SIZE(hp_option, 88);
AT(hp_option, key, 0);
AT(hp_option, def, 8);
AT(hp_option, doc, 16);
AT(hp_option, choices, 24);
AT(hp_option, unit, 32);
AT(hp_option, min, 40);
AT(hp_option, max, 48);
AT(hp_option, soft_min, 56);
AT(hp_option, soft_max, 64);
AT(hp_option, type, 72);
AT(hp_option, offset, 76);
AT(hp_option, size, 80);
AT(hp_option, flags, 84);

AT(hp_host, struct_size, 0);
AT(hp_host, abi, 4);
AT(hp_host, name, 8);
AT(hp_host, log, 16);
AT(hp_host, now, 24);
AT(hp_host, emit, 32);
AT(hp_host, post, 40);
AT(hp_host, describe, 48);
AT(hp_host, stream, 56);
AT(hp_host, fail, 64);
AT(hp_host, request, 72);
AT(hp_host, timer, 80);
AT(hp_host, timer_at, 88);
AT(hp_host, timer_free, 96);
AT(hp_host, udp, 104);
AT(hp_host, udp_send, 112);
AT(hp_host, udp_close, 120);
AT(hp_host, watch, 128);
AT(hp_host, unwatch, 136);
AT(hp_host, file, 144);
AT(hp_host, file_write, 152);
AT(hp_host, file_close, 160);
AT(hp_host, behind, 168);

AT(hp_module, struct_size, 0);
AT(hp_module, abi, 4);
AT(hp_module, option_size, 8);
AT(hp_module, sample_size, 12);
AT(hp_module, needs_minor, 16);
AT(hp_module, kind, 20);
AT(hp_module, traits, 24);
AT(hp_module, spare, 28);
AT(hp_module, name, 32);
AT(hp_module, summary, 40);
AT(hp_module, options, 48);
AT(hp_module, state_size, 56);
AT(hp_module, open, 64);
AT(hp_module, start, 72);
AT(hp_module, filter, 80);
AT(hp_module, write, 88);
AT(hp_module, encode, 96);
AT(hp_module, send, 104);
AT(hp_module, raw, 112);
AT(hp_module, event, 120);
AT(hp_module, changed, 128);
AT(hp_module, reset, 136);
AT(hp_module, command, 144);
AT(hp_module, stop, 152);
AT(hp_module, close, 160);
AT(hp_module, check, 168);
AT(hp_module, encoding, 176);
AT(hp_module, media_type, 184);
AT(hp_module, version, 192);
AT(hp_module, author, 200);
AT(hp_module, url, 208);
#endif

/* numbers that inis, recordings and modules rely on */
static_assert(HP_ROTVEC == 1 && HP_YPR == 2 && HP_GYRO == 4 && HP_ACCEL == 8 && HP_POS == 16 && HP_DEVCLK == 32 &&
                  HP_JUMP == 64 && HP_ANGVEL == 256 && HP_CONFIDENCE == 512,
              "sample flags");
static_assert(HP_CONNECTED == 1 && HP_DISCONNECTED == 2 && HP_GAP == 3 && HP_REFERENCE_RESET == 4 && HP_RECENTER == 5 &&
                  HP_OPTION == 6 && HP_CLOCK_STEP == 7 && HP_LOST == 8,
              "events");
static_assert(HP_BOOL == 1 && HP_INT == 2 && HP_REAL == 3 && HP_STR == 4 && HP_ENUM == 5 && HP_NS == 6 &&
                  HP_ADDRS == 7 && HP_PATH == 8 && HP_LIST == 9,
              "option types");
static_assert(HP_LIVE == 1 && HP_SECRET == 2 && HP_REMOVED == 4 && HP_LOCAL == 8 && HP_SET == 16 &&
                  HP_PERMUTATION == 32,
              "option flags");
static_assert(HP_INPUT == 1 && HP_FILTER == 2 && HP_OUTPUT == 3 && HP_ENCODER == 4, "kinds");
static_assert(HP_KEEP == 0 && HP_DROP == 1 && HP_READABLE == 1 && HP_WRITABLE == 2 && HP_STREAM_REPLAY == 1 &&
                  HP_MORE == 1 << 30,
              "results");
static_assert(HP_BINARY == 2, "traits");
static_assert(HP_LOG_DEBUG == 0 && HP_LOG_INFO == 1 && HP_LOG_WARN == 2 && HP_LOG_ERROR == 3, "levels");

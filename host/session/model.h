/* SPDX-License-Identifier: MIT
 * model.h - what the numbers of a /head/sample message say about each other. An archive keeps only by how much
 * they differ from that, which is a few last bits. */
#ifndef HP_PACK_MODEL_H
#define HP_PACK_MODEL_H
#include <stdint.h>

enum pack_model {
	PACK_NO_MODEL,
	PACK_FROM_ROTVEC, /* times, quaternion from rotation vector, angles from quaternion */
	PACK_FROM_QUAT,   /* times, rotation vector and angles from quaternion              */
	PACK_MODELS
};

/* One message, its first HPS_SAMPLE_SIZE bytes, in place: numbers to differences, and back. time: its log time. */
void pack_model_apply(enum pack_model, int64_t time, uint8_t *message);
void pack_model_undo(enum pack_model, int64_t time, uint8_t *message);
#endif

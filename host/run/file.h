/* SPDX-License-Identifier: MIT
 * file.h - the service `file`. [loop] */
#ifndef HP_FILE_H
#define HP_FILE_H
#include "graph/node.h"

struct hp_file *hp_file_open(const struct hp_host *, const char *path, const char *mode);
int hp_file_write(struct hp_file *, const void *, size_t);
void hp_file_close(struct hp_file *);
void hp_file_close_all(struct hp_node *);
#endif

/* SPDX-License-Identifier: MIT
 * file.h - the service `file`. [loop] */
#ifndef HP_FILE_H
#define HP_FILE_H
#include "graph/node.h"

struct hp_file *hp_file_open(const struct hp_host *, const char *path, const char *mode);
int hp_file_write(struct hp_file *, const void *, size_t);
/* The writer thread goes on in another file: opening one may take its time too. 0; -ENOBUFS: no room in the queue, the
 * file is still the same; another -errno: broken. That the file cannot be opened is told by fail(), later. */
int hp_file_next(struct hp_file *, const char *path, const char *mode);
void hp_file_close(struct hp_file *);
void hp_file_close_all(struct hp_node *);
#endif

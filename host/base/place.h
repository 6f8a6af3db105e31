/* SPDX-License-Identifier: MIT
 * place.h - where this program's own files are: beside it in an installation of any prefix, or in the checkout it was
 * built in. */
#ifndef HP_PLACE_H
#define HP_PLACE_H
#include <stdbool.h>
#include <stddef.h>

/* Fills path with the first of exe/../INSTALLED and exe/../SOURCE, exe/../../SOURCE that is there, made absolute, else
 * with PREFIX/INSTALLED and false. */
bool hp_place_find(const char *installed, const char *source, char *path, size_t size);
/* The folder of headpipe.h. */
bool hp_place_header(char *folder, size_t size);
/* The bundled recording. */
bool hp_place_recording(char *path, size_t size);
#endif

/* SPDX-License-Identifier: MIT
 * replay.c - feeds every file of a corpus folder to a fuzz target, so that `make test` needs no fuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int feed(const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc((size_t)st.st_size + 1);
	if (!f || !data) {
		fprintf(stderr, "%s: cannot read\n", path);
		exit(1);
	}
	/* an exact-size block, so that AddressSanitizer sees the first byte too far */
	size_t size = fread(data, 1, (size_t)st.st_size, f);
	fclose(f);
	uint8_t *exact = malloc(size ? size : 1);
	for (size_t i = 0; i < size; i++)
		exact[i] = data[i];
	free(data);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 1;
}

int main(int argc, char **argv)
{
	int n = 0;
	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		if (!dir) {
			n += feed(argv[i]);
			continue;
		}
		for (struct dirent *e; (e = readdir(dir));) {
			char path[4096];
			snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
			n += feed(path);
		}
		closedir(dir);
	}
	printf("%d corpus files replayed\n", n);
	return n ? 0 : 1;
}

/* replay.c - runs a fuzz target over files and folders, once each. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include "fuzz.h"

static size_t n_files;

/* The input gets memory of exactly its size, so that reading past its end is noticed. */
static void run_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(size > 0 ? size : 1);

	if (!file || !data || fread(data, 1, size, file) != size) {
		(void)fprintf(stderr, "replay: can't read %s\n", path);
		exit(1);
	}
	(void)fclose(file);
	(void)printf("%s\n", path);
	(void)fflush(stdout); /* so that a crash shows which it was */
	(void)LLVMFuzzerTestOneInput(data, size);
	free(data);
	n_files++;
}

static void run_path(const char *path, bool is_inside)
{
	struct stat info;
	DIR *folder;

	if (stat(path, &info) != 0) {
		(void)fprintf(stderr, "replay: can't find %s\n", path);
		exit(1);
	}
	if (S_ISREG(info.st_mode)) {
		run_file(path, (size_t)info.st_size);
		return;
	}
	folder = is_inside ? NULL : opendir(path);
	if (!folder)
		return;
	for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
		char inner[4096];

		(void)snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		run_path(inner, true);
	}
	(void)closedir(folder);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run_path(argv[i], false);
	(void)printf("%zu files\n", n_files);
	return n_files > 0 ? 0 : 1;
}

/* A plain main() for a fuzz target: runs it once on every file of the folders (or on the files)
 * that are named. Each input lies in a block of exactly its size, so that sanitizers and valgrind
 * see reads behind it. */
#define _POSIX_C_SOURCE 200809L

#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static size_t run_file(const char *path)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) != 0) {
        perror(path);
        exit(2);
    }
    size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size ? size : 1);
    FUZZ_CHECK(data && fread(data, 1, size, file) == size);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static size_t run_folder(const char *path, DIR *folder)
{
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        count += run_file(name);
    }
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        count += folder ? run_folder(argv[i], folder) : run_file(argv[i]);
        if (folder) closedir(folder);
    }
    printf("%zu inputs\n", count);
    return count > 0 ? 0 : 1;
}

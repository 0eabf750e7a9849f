/* The whole way of a message: Protobuf wire bytes in, a YaFF file out, the file mapped and read
 * without parsing, and back to the same wire bytes.
 *     feed FEED.PB FEED.YAFF [EXPECTED.PB]
 * FEED.PB holds a feed.FeedResponse, FEED.YAFF is written, EXPECTED.PB is compared with what comes
 * back (FEED.PB itself when it is not given). */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "feed.yaff.h"

/* Maps a whole file for reading: its bytes, or NULL with a message printed. */
static const void *map_file(const char *path, size_t *size)
{
    void *data = MAP_FAILED;
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
        *size = (size_t)status.st_size;
        data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (data == MAP_FAILED) {
        perror(path);
        data = NULL;
    }
    if (file >= 0) close(file);
    return data;
}

static bool write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && fwrite(data, 1, size, file) == size;
    if (file != NULL && fclose(file) != 0) good = false;
    if (!good) perror(path);
    return good;
}

static bool complain(const char *what, const yaff_error *err)
{
    fprintf(stderr, "%s: %s (byte %zu, field \"%s\")\n", what, yaff_status_text(err->status),
            err->offset, err->path);
    return false;
}

/* Protobuf wire bytes -> YaFF, into a file. */
static bool convert(const void *wire, size_t size, const char *path)
{
    yaff_error err;
    yaff_builder *builder = yaff_builder_new(NULL); /* reusable: a warm one allocates nothing */
    bool good = builder != NULL;
    if (good && feed_FeedResponse_from_wire(builder, wire, size, NULL, &err) != YAFF_OK)
        good = complain("from_wire", &err);
    if (good) good = write_file(path, yaff_builder_data(builder), yaff_builder_size(builder));
    yaff_builder_free(builder);
    return good;
}

/* Prints the best items. Every call is a load or two from the mapped file: nothing is parsed. */
static void show(const feed_FeedResponse *response)
{
    for (size_t i = 0; i < feed_FeedResponse_items_size(response); i++) {
        const feed_FeedItem *item = feed_FeedResponse_items_at(response, i);
        const feed_Author *author = feed_FeedItem_author(item); /* never NULL */
        if (feed_FeedItem_score(item) < 0.9 || !feed_Author_verified(author)) continue;

        yaff_str title = feed_FeedItem_title(item), name = feed_Author_name(author);
        printf("  %.3f %s by %s", feed_FeedItem_score(item), title.data, name.data);
        if (feed_FeedItem_has_kind(item)) printf(", kind %d", (int)feed_FeedItem_kind(item));
        for (size_t t = 0; t < feed_FeedItem_tags_size(item); t++)
            printf(" #%s", feed_FeedItem_tags_at(item, t).data);
        printf(" ctr %.2f\n", (double)feed_FeedItem_features_get(item, yaff_str_of("ctr")));
    }
}

/* Counts, to show a oneof, a map walked entry by entry, recursion and an array. */
static void count(const feed_FeedResponse *response)
{
    size_t items = feed_FeedResponse_items_size(response), videos = 0, replies = 0;
    uint64_t reactions = 0, related = 0;
    for (size_t i = 0; i < items; i++) {
        const feed_FeedItem *item = feed_FeedResponse_items_at(response, i);
        videos += feed_FeedItem_content_case(item) == feed_FeedItem_content_case_video;
        replies += feed_FeedItem_replies_size(item);
        for (size_t r = 0; r < feed_FeedItem_reactions_size(item); r++) {
            const feed_FeedItem_ReactionsEntry *entry = feed_FeedItem_reactions_at(item, r);
            reactions += feed_Reactions_count(feed_FeedItem_ReactionsEntry_value(entry));
        }
        for (size_t r = 0; r < feed_FeedItem_related_size(item); r++)
            related ^= feed_FeedItem_related_at(item, r);
    }
    printf("%zu items, %zu videos, %zu replies, %" PRIu64 " reactions, related ids xor to %" PRIx64
           "\n",
           items, videos, replies, reactions, related);
}

/* The view -> wire bytes, compared with a file. */
static bool compare(const feed_FeedResponse *response, const char *expected_path)
{
    yaff_error err;
    size_t size = 0, written = 0, expected_size = 0;
    if (feed_FeedResponse_wire_size(response, &size, &err) != YAFF_OK)
        return complain("wire_size", &err);
    const void *expected = map_file(expected_path, &expected_size);
    void *wire = malloc(size + 1); /* never of size 0 */
    bool good = expected != NULL && wire != NULL;
    if (good && feed_FeedResponse_to_wire(response, wire, size, &written, &err) != YAFF_OK)
        good = complain("to_wire", &err);
    if (good) {
        good = written == size && size == expected_size && memcmp(wire, expected, size) == 0;
        printf("back to %zu wire bytes: %s %s\n", written, good ? "the same as" : "NOT those of",
               expected_path);
    }
    free(wire);
    if (expected != NULL) munmap((void *)expected, expected_size);
    return good;
}

/* The mapped file: opened, read, compared. */
static bool read_back(const void *buffer, size_t size, const char *expected_path)
{
    yaff_error err;
    const feed_FeedResponse *response = feed_FeedResponse_open(buffer, size, &err); /* verifies */
    if (response == NULL) return complain("open", &err);
    show(response);
    count(response);
    return compare(response, expected_path);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: %s FEED.PB FEED.YAFF [EXPECTED.PB]\n", argv[0]);
        return 2;
    }
    size_t wire_size = 0, size = 0;
    const void *wire = map_file(argv[1], &wire_size);
    bool good = wire != NULL && convert(wire, wire_size, argv[2]);
    const void *buffer = good ? map_file(argv[2], &size) : NULL;
    if (buffer != NULL) {
        printf("%s: %zu bytes of wire, %s: %zu bytes\n", argv[1], wire_size, argv[2], size);
        good = read_back(buffer, size, argc == 4 ? argv[3] : argv[1]);
        munmap((void *)buffer, size);
    } else {
        good = false;
    }
    if (wire != NULL) munmap((void *)wire, wire_size);
    return good ? 0 : 1;
}

/* An executable model of the format, for tests: plain descriptions of schemas and messages, and
 * a writer that follows spec/format.md word by word, slow and obvious. It shares no code with
 * the library but the stores; placement, ranks and spans are worked out anew. Memory comes from
 * one pool. */
#ifndef YAFF_TESTS_MODEL_H
#define YAFF_TESTS_MODEL_H

#include <yaff/lanes.h>
#include <yaff/type.h>

enum { MODEL_FIELDS = 72, MODEL_TYPES = 10, MODEL_ONEOFS = 3 };

typedef struct model_field {
    uint32_t number;
    unsigned kind;  /* yaff_kind */
    unsigned flags; /* YAFF_FIELD_… */
    unsigned type;  /* of messages and maps: index into the schema */
    unsigned oneof; /* 0, or 1 .. MODEL_ONEOFS */
    bool removed;   /* gone from the schema, its place kept */
} model_field;

typedef struct model_type {
    unsigned layout; /* yaff_layout */
    bool map_entry;
    bool kin; /* random schemas: evolves by the rules for pinned Flat */
    unsigned count;
    model_field fields[MODEL_FIELDS]; /* ascending numbers */
} model_type;

typedef struct model_schema {
    unsigned count;
    model_type types[MODEL_TYPES];
} model_schema;

typedef struct model_message model_message;

/* A scalar's bits, or a text, or a message (NULL or one without content: not stored). */
typedef struct model_item {
    uint64_t bits;
    const char *text;
    size_t size;
    model_message *message;
} model_item;

/* A present field. Singular: one item. Map: entries, messages of the entry type, sorted by key. */
typedef struct model_value {
    const model_field *field;
    size_t count;
    model_item *items;
} model_value;

typedef enum model_form {
    MODEL_SPARSE, /* kind 00 or 01, as needed */
    MODEL_FLAT,   /* kind 10 */
    MODEL_LANES,  /* kind 11 */
    MODEL_FIXED
} model_form;

struct model_message {
    unsigned type;
    model_form form;
    unsigned blocks; /* Sparse: blocks of lanes; the rest goes to the directory */
    unsigned count;
    model_value *values; /* ascending numbers */
    const char *unknown; /* wire bytes kept (Sparse) */
    size_t unknown_size;
};

typedef struct model_buffer {
    uint8_t *bytes; /* 8-byte aligned */
    size_t size;
} model_buffer;

void *model_alloc(size_t size); /* zeroed */
void model_free_all(void);

/* The tables of the whole schema as the generator would emit them, made with
 * layout/placement.h; numbers below index_size (at least 16) have an index. Array of schema->count
 * types. */
yaff_type *model_tables(const model_schema *schema, uint32_t index_size);

/* A finished buffer that holds `root`, a message as a writer with this schema stores it. */
model_buffer model_write(const model_schema *writer, const model_message *root);

/* Helpers for both sides. */
unsigned model_width(const model_schema *schema, const model_type *owner, const model_field *f);
const model_value *model_value_of(const model_message *m, uint32_t number);
bool model_is_empty(const model_message *m);

/* ---- random schemas and messages (model_random.c) ---- */

typedef struct model_random {
    uint64_t state;
} model_random;

uint32_t model_below(model_random *r, uint32_t n); /* 0 .. n - 1 */
bool model_chance(model_random *r, unsigned percent);
uint64_t model_bits(model_random *r);

/* Every field that any version of the schema has. */
void model_random_universe(model_random *r, model_schema *universe);

/* One version of it: some fields not there, some removed with their place kept. `writer`: as a
 * writer has it, so that types pinned Flat evolve as they may. */
void model_random_version(model_random *r, const model_schema *universe, model_schema *version,
                          bool writer);

/* A message of a type, its fields and children drawn by lot, every one in a form that may be. */
model_message *model_random_message(model_random *r, const model_schema *schema, unsigned type,
                                    unsigned depth);

#endif

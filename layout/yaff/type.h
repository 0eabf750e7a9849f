/* The tables that describe a message type: what the generator writes as `const` data, what the
 * schema reader builds at run time, and what drives the wire converters, the verifier and the
 * printer alike. A user passes `&pkg_Msg_yaff_type` around and need not look inside.
 * spec/format.md, Tables. */
#ifndef YAFF_TYPE_H
#define YAFF_TYPE_H

#include <yaff/base.h>

YAFF_BEGIN_DECLS

typedef struct yaff_type yaff_type;

/* The physical layouts. The numbers are those of yaff/options.proto. */
typedef enum yaff_layout {
    YAFF_LAYOUT_DYNAMIC = 0,
    YAFF_LAYOUT_FIXED = 1,
    YAFF_LAYOUT_FLAT = 2,
    YAFF_LAYOUT_SPARSE = 3
} yaff_layout;

/* A field's declared type. The numbers are those of FieldDescriptorProto.Type in
 * descriptor.proto. */
typedef enum yaff_kind {
    YAFF_KIND_DOUBLE = 1,
    YAFF_KIND_FLOAT = 2,
    YAFF_KIND_INT64 = 3,
    YAFF_KIND_UINT64 = 4,
    YAFF_KIND_INT32 = 5,
    YAFF_KIND_FIXED64 = 6,
    YAFF_KIND_FIXED32 = 7,
    YAFF_KIND_BOOL = 8,
    YAFF_KIND_STRING = 9,
    YAFF_KIND_GROUP = 10,
    YAFF_KIND_MESSAGE = 11,
    YAFF_KIND_BYTES = 12,
    YAFF_KIND_UINT32 = 13,
    YAFF_KIND_ENUM = 14,
    YAFF_KIND_SFIXED32 = 15,
    YAFF_KIND_SFIXED64 = 16,
    YAFF_KIND_SINT32 = 17,
    YAFF_KIND_SINT64 = 18
} yaff_kind;

/* What a converter does with a field. */
typedef enum yaff_op {
    YAFF_OP_VARINT32, /* int32, uint32, open enum */
    YAFF_OP_VARINT64, /* int64, uint64 */
    YAFF_OP_ZIGZAG32,
    YAFF_OP_ZIGZAG64,
    YAFF_OP_FIXED32,
    YAFF_OP_FIXED64,
    YAFF_OP_BOOL,
    YAFF_OP_CLOSED_ENUM,
    YAFF_OP_BYTES, /* bytes, and strings that are not checked */
    YAFF_OP_UTF8,  /* strings that are */
    YAFF_OP_MESSAGE,
    YAFF_OP_GROUP,
    YAFF_OP_INLINE,   /* a Fixed message inside a Fixed one */
    YAFF_OP_SCALARS,  /* repeated numbers, bools and enums */
    YAFF_OP_TEXTS,    /* repeated string and bytes */
    YAFF_OP_MESSAGES, /* repeated messages and groups */
    YAFF_OP_MAP
} yaff_op;

enum {
    YAFF_FIELD_REPEATED = 1,    /* an array (a map too) */
    YAFF_FIELD_MAP = 2,         /* repeated; `type` is the entry: key = 1, value = 2 */
    YAFF_FIELD_PACKED = 4,      /* repeated scalar written packed */
    YAFF_FIELD_PRESENCE = 8,    /* message, optional, required, oneof member */
    YAFF_FIELD_REQUIRED = 16,   /* proto2 required */
    YAFF_FIELD_UTF8 = 32,       /* string checked for UTF-8 (proto3) */
    YAFF_FIELD_CLOSED = 64,     /* enum of proto2: unlisted values are unknown */
    YAFF_FIELD_DEFAULT = 128,   /* has a default that is not zero or empty */
    YAFF_FIELD_DEPRECATED = 256 /* [deprecated = true] in the schema */
};

typedef struct yaff_enum_value {
    int32_t number;
    const char *name;
} yaff_enum_value;

/* An enum: its listed values sorted by number, for equal numbers (allow_alias) in declared
 * order. */
typedef struct yaff_enum {
    const char *name; /* full name, "pkg.Msg.Color" */
    const yaff_enum_value *values;
    uint32_t value_count;
    uint32_t run_count; /* so many numbers has the first longest run without a gap, */
    int32_t run_first;  /* and this is its least */
} yaff_enum;

#define YAFF_NO_PLACE 0xffffffffu

/* One field. Rows stand in ascending field number. */
typedef struct yaff_field {
    uint32_t number;
    uint32_t tag;   /* as on the wire: number << 3 | wire type (2 when PACKED) */
    uint32_t place; /* bytes from p in a Flat body, or from the start of a Fixed struct;
                     * YAFF_NO_PLACE when the number is above YAFF_FLAT_MAX_NUMBER */
    uint16_t block; /* index of its row in type->blocks, and its bit in the lanes of that block: */
    uint16_t bit;   /* 1 << (number - 1) % 16. A Fixed type, without blocks, counts its rows
                     * instead: row / 16 and 1 << row % 16 */
    uint16_t flags; /* YAFF_FIELD_… */
    uint16_t oneof; /* 0, or 1 + index into type->oneofs (real oneofs only, not proto3 optional) */
    uint8_t kind;   /* yaff_kind */
    uint8_t width;  /* bytes of its cell: 1, 4 or 8; 0 = Fixed inline in Fixed */
    uint8_t op;     /* yaff_op: kind, flags and width as one number that a converter switches on */
    const yaff_type *type;        /* message, group or map entry type, else NULL */
    const yaff_enum *enumeration; /* enum type, else NULL */
    uint64_t default_bits;        /* the default's bits; for text its size in bytes */
    const char *default_data;     /* for text the default's bytes and a NUL, else NULL */
    const char *name;             /* as in the .proto; of a group in lower case */
} yaff_field;

/* A block of sixteen field numbers, 16k+1 .. 16k+16, in which the type has at least one field or
 * removed number. Bit b of a lane stands for number 16k+1+b. */
typedef struct yaff_block {
    uint64_t mask;  /* with these bits, the block's word of a Flat-with-lanes message */
    uint64_t shape; /* must equal this for static places to hold (spec/format.md, Shape test);
                     * mask 0 and shape 1 (never equal) when the block is beyond Flat's numbers */
    uint32_t k;
    uint32_t first; /* index of the block's first field in type->fields */
    uint32_t cells; /* n4 and, 16 bits higher, n8 in a Sparse message with all of these fields */
    uint16_t known; /* bits of the fields in type->fields */
    uint16_t n4;    /* widths of known and removed numbers: n4 = 4, n8 = 8, both = 1 */
    uint16_t n8;
    uint16_t start;   /* the block's start in the Flat body, in units of 8 bytes */
    uint16_t checked; /* bits of the fields whose cell is more than a number: bool, span, reference;
                       * the verifier looks at no other */
} yaff_block;

typedef struct yaff_oneof {
    const char *name;
    const uint32_t *members; /* indices into type->fields, ascending */
    uint32_t member_count;
} yaff_oneof;

enum {
    YAFF_TYPE_MAP_ENTRY = 1, /* a map's synthetic entry; always Fixed */
    YAFF_TYPE_REQUIRED = 2,  /* has required fields; of a map entry: its value has */
    YAFF_TYPE_SETS = 4,      /* a pinned Flat message of this type has set lanes */
    YAFF_TYPE_SMALL = 8      /* Dynamic or Sparse with at most 32 fields, none of them required, in
                              * the first block and perhaps one more */
};

struct yaff_type {
    const char *name;         /* full name, "pkg.Msg" */
    const yaff_field *fields; /* never NULL */
    const yaff_block *blocks; /* ascending k; NULL for Fixed */
    const yaff_oneof *oneofs;
    const uint16_t *index; /* index[n] = 1 + row of field number n, 0 = none, for n < index_size */
    const uint8_t *tags;   /* tags[b] = 1 + row of the field whose tag on the wire is the one byte
                            * b, of 256; 0 = none, or a oneof's member */
    const void *instance;  /* what an absent message reads as: p of a default instance */
    uint32_t field_count;
    uint32_t block_count;
    uint32_t oneof_count;
    uint32_t index_size; /* numbers below it are looked up in index, others by bisection; at
                          * least 17, which is the first block's */
    uint32_t body_size;  /* whole Flat body (a multiple of 8), or the Fixed struct's size */
    uint16_t limit;      /* highest field number (removed ones too) that Flat can place, 0 = none */
    uint8_t layout;      /* yaff_layout */
    uint8_t flags;       /* YAFF_TYPE_… */
    uint32_t align;      /* of a Fixed struct: 1, 4 or 8; 8 for the others */
    uint32_t lane_count; /* block_count; of a Fixed type its rows / 16, rounded up */
    uint32_t dense;      /* a message all of whose fields lie in the first block is Flat if it is to
                          * be Dynamic and its Sparse body has at least so many bytes; 0 where that
                          * does not settle it: Fixed, pinned Flat, no field in the first block */
};

/* What the string or bytes field type->fields[row] reads as where it is absent. */
YAFF_HELPER yaff_str yaff_default_str(const yaff_type *type, uint32_t row)
{
    yaff_str s;
    s.data = type->fields[row].default_data;
    s.size = (size_t)type->fields[row].default_bits;
    return s;
}

/* The row of field `number`, or NULL. O(1) below index_size, else O(log fields). Thread-safe. */
YAFF_API const yaff_field *yaff_type_field(const yaff_type *type, uint32_t number);

/* The row of block k (field numbers 16k+1 .. 16k+16), or NULL. O(log blocks). Thread-safe. */
YAFF_API const yaff_block *yaff_type_block(const yaff_type *type, uint32_t k);

/* The first listed name of `number`, or NULL when the enum does not list it. O(log n).
 * Thread-safe. */
YAFF_API const char *yaff_enum_name(const yaff_enum *e, int32_t number);

/* Whether the enum lists `number`. O(log n). Thread-safe. */
YAFF_API bool yaff_enum_lists(const yaff_enum *e, int32_t number);

YAFF_END_DECLS

#endif

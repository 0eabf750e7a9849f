/* Words every part of yaff shares: compiler attributes, little-endian loads and stores, and the two
 * value types a reader hands out (yaff_str, yaff_span). Depends on nothing. */
#ifndef YAFF_BASE_H
#define YAFF_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#define YAFF_BEGIN_DECLS extern "C" {
#define YAFF_END_DECLS }
#define YAFF_ALIGN8 alignas(8)
#define YAFF_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define YAFF_BEGIN_DECLS
#define YAFF_END_DECLS
#define YAFF_ALIGN8 _Alignas(8)
#define YAFF_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#if defined(__GNUC__) || defined(__clang__)
#define YAFF_LIKELY(x) __builtin_expect(!!(x), 1)
#define YAFF_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Near certain: also keeps gcc from a conditional move, which would put the test on the load
 * chain. */
#define YAFF_CERTAIN(x) __builtin_expect_with_probability(!!(x), 1, 1.0)
#define YAFF_MUST_CHECK __attribute__((warn_unused_result))
#define YAFF_NOINLINE __attribute__((noinline))
#define YAFF_PREFETCH(address) __builtin_prefetch(address)
#define YAFF_UNREACHABLE() __builtin_unreachable()
#define YAFF_API __attribute__((visibility("default")))
#define YAFF_ATTR_PURE __attribute__((pure))
#define YAFF_ATTR_CONST __attribute__((const))
#define YAFF_FORCE_INLINE __attribute__((always_inline))
#define YAFF_RESTRICT __restrict
#else
#define YAFF_LIKELY(x) (x)
#define YAFF_UNLIKELY(x) (x)
#define YAFF_CERTAIN(x) (x)
#define YAFF_MUST_CHECK
#define YAFF_NOINLINE
#define YAFF_PREFETCH(address) ((void)(address))
#define YAFF_UNREACHABLE() ((void)0)
#define YAFF_API
#define YAFF_ATTR_PURE
#define YAFF_ATTR_CONST
#define YAFF_FORCE_INLINE
#define YAFF_RESTRICT
#endif

/* A generated accessor. It is `pure`, and deliberately not always_inline: the compiler merges
 * repeated calls (`root->a->b` read nine times) while they are still calls. A store in between that
 * could be to the buffer ends that.
 *
 * A translation unit may define YAFF_IMMUTABLE_VIEWS before it includes a generated header:
 * accessors become `const` and chains survive stores. It promises that no byte behind a view
 * changes from the first read to the last, nor is used again for another message while a function
 * reads. Misreads follow when that is broken, and no tool can find them. spec/format.md, Aliasing.
 */
#ifdef YAFF_IMMUTABLE_VIEWS
#define YAFF_ACCESSOR static inline YAFF_ATTR_CONST
#else
#define YAFF_ACCESSOR static inline YAFF_ATTR_PURE
#endif

/* A helper an accessor is made of: always folded into it, so its constant arguments disappear. */
#define YAFF_HELPER static inline YAFF_FORCE_INLINE

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define YAFF_BIG_ENDIAN 1
#else
#define YAFF_BIG_ENDIAN 0
#endif

/* The version of the tables and inline helpers that generated code is written against. */
#define YAFF_GENERATED_VERSION 1

/* Text or bytes inside a buffer: `size` bytes at `data`, and a NUL behind them unless the buffer
 * borrows its strings. `data` is never NULL. Valid as long as the buffer is. */
typedef struct yaff_str {
    const char *data;
    size_t size;
} yaff_str;

/* How a buffer refers to string, bytes, array or map data: `count` elements (bytes for strings) at
 * `offset` bytes from the owner. Both are little-endian. spec/format.md, Cells. */
typedef struct yaff_span {
    YAFF_ALIGN8 int32_t offset;
    uint32_t count;
} yaff_span;

/* One load and one store per width, little-endian on every machine. Any alignment and any declared
 * type: memcpy() is the compiler's word for a plain load that breaks no rule.
 *
 * Where views are immutable, a load says its type: a compiler may then take it that no store of
 * another type changes what was read, and merges it across such stores. `unsigned long long`
 * because a uint64_t, which programs do store, is another type on 64-bit systems. Not assumed to be
 * aligned either. */
#if defined(YAFF_IMMUTABLE_VIEWS) && defined(__GNUC__)
struct __attribute__((packed)) yaff_word16 {
    uint16_t v;
};
struct __attribute__((packed)) yaff_word32 {
    uint32_t v;
};
struct __attribute__((packed)) yaff_word64 {
    unsigned long long v;
};
#define YAFF_LOAD(v, p, bits) ((v) = ((const struct yaff_word##bits *)(p))->v)
#else
#define YAFF_LOAD(v, p, bits) memcpy(&(v), (p), sizeof(v))
#endif

YAFF_HELPER uint16_t yaff_load16(const void *p)
{
    uint16_t v;
    YAFF_LOAD(v, p, 16);
#if YAFF_BIG_ENDIAN
    v = __builtin_bswap16(v);
#endif
    return v;
}

YAFF_HELPER uint32_t yaff_load32(const void *p)
{
    uint32_t v;
    YAFF_LOAD(v, p, 32);
#if YAFF_BIG_ENDIAN
    v = __builtin_bswap32(v);
#endif
    return v;
}

YAFF_HELPER uint64_t yaff_load64(const void *p)
{
    uint64_t v;
    YAFF_LOAD(v, p, 64);
#if YAFF_BIG_ENDIAN
    v = __builtin_bswap64(v);
#endif
    return v;
}

YAFF_HELPER void yaff_store16(void *p, uint16_t v)
{
#if YAFF_BIG_ENDIAN
    v = __builtin_bswap16(v);
#endif
    memcpy(p, &v, sizeof v);
}

YAFF_HELPER void yaff_store32(void *p, uint32_t v)
{
#if YAFF_BIG_ENDIAN
    v = __builtin_bswap32(v);
#endif
    memcpy(p, &v, sizeof v);
}

YAFF_HELPER void yaff_store64(void *p, uint64_t v)
{
#if YAFF_BIG_ENDIAN
    v = __builtin_bswap64(v);
#endif
    memcpy(p, &v, sizeof v);
}

YAFF_HELPER float yaff_float_of(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

YAFF_HELPER double yaff_double_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Number of set bits in a 16-bit lane. With -mpopcnt one instruction; else a short portable
 * form. */
YAFF_HELPER unsigned yaff_popcount16(unsigned v)
{
#if defined(__POPCNT__) || (defined(__clang__) && !defined(__x86_64__) && !defined(__i386__))
    return (unsigned)__builtin_popcount(v);
#else
    v = v - ((v >> 1) & 0x5555u);
    v = (v & 0x3333u) + ((v >> 2) & 0x3333u);
    v = (v + (v >> 4)) & 0x0f0fu;
    return (v + (v >> 8)) & 0x1fu;
#endif
}

/* The bytes of a C string literal or other NUL-terminated text as a yaff_str (a map key, say). */
static inline yaff_str yaff_str_of(const char *text)
{
    yaff_str s;
    s.data = text;
    s.size = strlen(text);
    return s;
}

static inline bool yaff_str_equal(yaff_str a, yaff_str b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

#endif

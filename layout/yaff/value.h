/* From a cell's bits to a value: spans to text and arrays, references to messages. `owner` is what
 * a span or reference counts from: p of a message, the start of a Fixed struct or of an array.
 * spec/format.md, Cells. */
#ifndef YAFF_VALUE_H
#define YAFF_VALUE_H

#include <yaff/base.h>

YAFF_HELPER size_t yaff_span_count(uint64_t span)
{
    return (size_t)(span >> 32);
}

YAFF_HELPER const void *yaff_span_data(const void *owner, uint64_t span)
{
    return (const char *)owner + (int32_t)(uint32_t)span;
}

YAFF_HELPER yaff_str yaff_span_str(const void *owner, uint64_t span)
{
    yaff_str s;
    s.size = yaff_span_count(span);
    s.data = s.size ? (const char *)yaff_span_data(owner, span) : "";
    return s;
}

/* The message that a reference points to; `instance`, a default instance, where it is 0. */
YAFF_HELPER const void *yaff_ref_message(const void *owner, uint32_t ref, const void *instance)
{
    /* Not an int32_t: a reference is never negative, and a load that extends the sign takes a cycle
     * more on some processors. */
    if (YAFF_CERTAIN(ref != 0)) return (const char *)owner + ref;
    return instance;
}

/* The same where the writer most likely put the message `near` bytes behind its owner (0 = there is
 * no such place). Where it did, the address waits for no load: a chain of messages costs predicted
 * branches, and one that is not in the cache comes in as one burst of misses. */
YAFF_HELPER const void *yaff_ref_near(const void *owner, uint32_t ref, uint32_t near,
                                      const void *instance)
{
    if (near && YAFF_CERTAIN(ref == near)) return (const char *)owner + near;
    return yaff_ref_message(owner, ref, instance);
}

/* Element i of an array. An i past the end reads as zero, "", or the default instance. */
YAFF_HELPER bool yaff_array_at1(const void *owner, uint64_t span, size_t i)
{
    if (i >= yaff_span_count(span)) return false;
    return ((const unsigned char *)yaff_span_data(owner, span))[i] != 0;
}

YAFF_HELPER uint32_t yaff_array_at4(const void *owner, uint64_t span, size_t i)
{
    if (i >= yaff_span_count(span)) return 0;
    return yaff_load32((const char *)yaff_span_data(owner, span) + 4 * i);
}

YAFF_HELPER uint64_t yaff_array_at8(const void *owner, uint64_t span, size_t i)
{
    if (i >= yaff_span_count(span)) return 0;
    return yaff_load64((const char *)yaff_span_data(owner, span) + 8 * i);
}

YAFF_HELPER yaff_str yaff_array_str(const void *owner, uint64_t span, size_t i)
{
    return yaff_span_str(yaff_span_data(owner, span), yaff_array_at8(owner, span, i));
}

YAFF_HELPER const void *yaff_array_message(const void *owner, uint64_t span, size_t i,
                                           const void *instance)
{
    return yaff_ref_message(yaff_span_data(owner, span), yaff_array_at4(owner, span, i), instance);
}

/* Element i of an array of Fixed structs of `size` bytes. */
YAFF_HELPER const void *yaff_array_fixed(const void *owner, uint64_t span, size_t i, size_t size,
                                         const void *instance)
{
    if (i >= yaff_span_count(span)) return instance;
    return (const char *)yaff_span_data(owner, span) + size * i;
}

#endif

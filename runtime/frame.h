/* A frame's header, for frames in memory and in streams. Private to the library. */
#ifndef YAFF_RUNTIME_FRAME_H
#define YAFF_RUNTIME_FRAME_H

#include <yaff/frame.h>

typedef struct yaff_frame_head {
    size_t size; /* of the payload: at least 8, a multiple of 8, at most YAFF_BUFFER_MAX_SIZE */
    uint64_t fingerprint;
    uint64_t checksum; /* that the payload should have */
} yaff_frame_head;

/* Whether the YAFF_FRAME_HEADER bytes are an undamaged header. Any alignment. */
bool yaff_frame_head_read(const uint8_t *bytes, yaff_frame_head *head);

#endif

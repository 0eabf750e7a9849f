/* Frames in files, pipes and sockets (POSIX). See yaff/frame.h; spec/format.md, Frame. */
#define _POSIX_C_SOURCE 200809L

#include "frame.h"

#include <yaff/buffer.h>

#include <errno.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hash.h"
#include "libc_alloc.h"
#include "path.h"

enum { FIRST_PIECE = 1 << 20, LARGEST_CALL = 1 << 30 /* bytes in one read or write */ };

struct yaff_frame_reader {
    yaff_alloc alloc;
    int fd;
    size_t max_size;
    uint64_t offset;    /* bytes read so far */
    yaff_status status; /* of the last call, which stays when it is not OK */
    yaff_error error;
    bool callers;    /* memory belongs to the caller and cannot grow */
    uint8_t *memory; /* the payload: own or the caller's memory */
    size_t capacity;
    uint8_t *own;
    size_t own_capacity;
};

/* After a system call failed: whether it should simply be made again, after waiting if the
 * descriptor does not block. */
static bool again(int fd, short events)
{
    if (errno == EINTR) return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    struct pollfd wait = {fd, events, 0};
    return poll(&wait, 1, -1) >= 0 || errno == EINTR;
}

/* ---- Writing ---- */

yaff_status yaff_frame_write(int fd, uint64_t fingerprint, const void *buffer, size_t size,
                             yaff_error *err)
{
    uint8_t header[YAFF_FRAME_HEADER];
    size_t done = 0, total = YAFF_FRAME_HEADER + size;
    yaff_status status = yaff_frame_header(header, fingerprint, buffer, size);
    if (status != YAFF_OK) return yaff_fail(err, status, 0);
    while (done < total) {
        struct iovec parts[2];
        size_t in_header = done < sizeof header ? sizeof header - done : 0;
        size_t at = in_header ? 0 : done - sizeof header, left = size - at;
        parts[0].iov_base = header + (sizeof header - in_header);
        parts[0].iov_len = in_header;
        parts[1].iov_base = (void *)(uintptr_t)((const uint8_t *)buffer + at); /* only read */
        parts[1].iov_len = left < LARGEST_CALL ? left : LARGEST_CALL;
        ssize_t n = writev(fd, parts, 2);
        if (n >= 0)
            done += (size_t)n;
        else if (!again(fd, POLLOUT))
            return yaff_fail(err, YAFF_IO, done);
    }
    return yaff_fail(err, YAFF_OK, 0);
}

/* ---- Reading ---- */

yaff_frame_reader *yaff_frame_reader_new(int fd, const yaff_alloc *alloc)
{
    if (alloc == NULL) alloc = &yaff_libc_alloc;
    yaff_frame_reader *r = alloc->resize(alloc->context, NULL, 0, sizeof *r);
    if (r == NULL) return NULL;
    memset(r, 0, sizeof *r);
    r->alloc = *alloc;
    r->fd = fd;
    r->max_size = YAFF_BUFFER_MAX_SIZE;
    return r;
}

void yaff_frame_reader_free(yaff_frame_reader *r)
{
    if (r == NULL) return;
    yaff_alloc alloc = r->alloc;
    alloc.free(alloc.context, r->own);
    alloc.free(alloc.context, r);
}

void yaff_frame_reader_limit(yaff_frame_reader *r, size_t max_size)
{
    r->max_size = max_size;
}

void yaff_frame_reader_use(yaff_frame_reader *r, void *memory, size_t capacity)
{
    r->callers = memory != NULL;
    r->memory = r->callers ? memory : r->own;
    r->capacity = r->callers ? capacity : r->own_capacity;
}

/* Reads up to `size` bytes; fewer only at the end of the stream. False when the system refuses. */
static bool read_full(yaff_frame_reader *r, uint8_t *out, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        size_t left = size - *got;
        ssize_t n = read(r->fd, out + *got, left < LARGEST_CALL ? left : LARGEST_CALL);
        if (n == 0) break;
        if (n > 0) {
            *got += (size_t)n;
            r->offset += (uint64_t)n;
        } else if (!again(r->fd, POLLIN)) {
            return false;
        }
    }
    return true;
}

/* Room for `size` bytes in the reader's own memory; what is in it stays. */
static bool make_room(yaff_frame_reader *r, size_t size)
{
    if (size <= r->capacity) return true;
    uint8_t *more = r->alloc.resize(r->alloc.context, r->own, r->own_capacity, size);
    if (more == NULL) return false;
    r->memory = r->own = more;
    r->capacity = r->own_capacity = size;
    return true;
}

/* Reads the payload piece by piece, each as large as all before it: a header that promises more
 * than comes makes no large allocation. */
static yaff_status read_payload(yaff_frame_reader *r, size_t size)
{
    size_t done = 0, got;
    while (done < size) {
        size_t piece = done > FIRST_PIECE ? done : FIRST_PIECE;
        if (r->capacity - done > piece) piece = r->capacity - done; /* there is room already */
        if (piece > size - done) piece = size - done;
        if (!make_room(r, done + piece)) return YAFF_NO_MEMORY;
        if (!read_full(r, r->memory + done, piece, &got)) return YAFF_IO;
        if (got < piece) return YAFF_TRUNCATED;
        done += piece;
    }
    return YAFF_OK;
}

static yaff_status read_frame(yaff_frame_reader *r, yaff_frame *frame, uint64_t *fault)
{
    uint8_t header[YAFF_FRAME_HEADER];
    yaff_frame_head head;
    yaff_status status;
    size_t got;
    bool good = read_full(r, header, sizeof header, &got);
    *fault = r->offset;
    if (!good) return YAFF_IO;
    if (got == 0) return YAFF_END;
    if (got < sizeof header) return YAFF_TRUNCATED;
    *fault = r->offset - sizeof header;
    if (!yaff_frame_head_read(header, &head)) return YAFF_BAD_FRAME;
    if (head.size > r->max_size) return YAFF_TOO_LARGE;
    if (r->callers && head.size > r->capacity) return YAFF_TOO_SMALL;
    status = read_payload(r, head.size);
    if (status == YAFF_TRUNCATED || status == YAFF_IO) *fault = r->offset;
    if (status != YAFF_OK) return status;
    *fault = r->offset - head.size;
    if (yaff_hash(r->memory, head.size) != head.checksum) return YAFF_BAD_CHECKSUM;
    frame->buffer = r->memory;
    frame->size = head.size;
    frame->fingerprint = head.fingerprint;
    return YAFF_OK;
}

yaff_status yaff_frame_reader_next(yaff_frame_reader *r, yaff_frame *frame, yaff_error *err)
{
    uint64_t fault;
    if (r->status == YAFF_OK) {
        r->status = read_frame(r, frame, &fault);
        (void)yaff_fail(&r->error, r->status, r->status == YAFF_OK ? 0 : (size_t)fault);
    }
    if (r->status != YAFF_OK) memset(frame, 0, sizeof *frame);
    if (err) *err = r->error;
    return r->status;
}

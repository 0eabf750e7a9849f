/* The program under test in the Protobuf conformance suite: reads length-prefixed
 * ConformanceRequests from stdin, answers each on stdout. Every payload goes wire -> YaFF ->
 * verified -> wire. Requests are read with yaff too. JSON, JSPB and text are skipped. */
#include <stdio.h>
#include <stdlib.h>

#include <yaff/wire.h>

#include "conformance.yaff.h"
#include "google/protobuf/test_messages_proto2.yaff.h"
#include "google/protobuf/test_messages_proto3.yaff.h"

/* The fields of ConformanceResponse.result that we answer with. */
enum { PARSE_ERROR = 1, RUNTIME_ERROR = 2, PROTOBUF_PAYLOAD = 3, SKIPPED = 5, SERIALIZE_ERROR = 6 };

static void die(const char *why)
{
    fprintf(stderr, "testee: %s\n", why);
    exit(1);
}

/* Writes ConformanceResponse{field: bytes} behind its length. */
static void respond(unsigned field, const void *bytes, size_t size)
{
    uint8_t head[4 + 1 + 5], *p = head + 4;
    *p++ = (uint8_t)(field << 3 | 2);
    for (size_t rest = size;; rest >>= 7) {
        *p++ = (uint8_t)(rest < 0x80 ? rest : rest | 0x80);
        if (rest < 0x80) break;
    }
    size_t head_size = (size_t)(p - head);
    yaff_store32(head, (uint32_t)(head_size - 4 + size));
    if (fwrite(head, 1, head_size, stdout) != head_size || fwrite(bytes, 1, size, stdout) != size ||
        fflush(stdout) != 0)
        die("cannot write");
}

static void respond_error(unsigned field, const char *what, const yaff_error *err)
{
    char text[400];
    int n = snprintf(text, sizeof text, "%s: %s at byte %zu, %s", what,
                     yaff_status_text(err->status), err->offset, err->path);
    respond(field, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void convert(yaff_builder *b, const yaff_type *type, yaff_str payload)
{
    yaff_error err;
    if (yaff_from_wire(b, type, payload.data, payload.size, NULL, &err) != YAFF_OK) {
        respond_error(PARSE_ERROR, "from_wire", &err);
        return;
    }
    const void *m = yaff_open(type, yaff_builder_data(b), yaff_builder_size(b), &err);
    if (m == NULL) {
        respond_error(RUNTIME_ERROR, "open", &err);
        return;
    }
    size_t size, written;
    if (yaff_wire_size(type, m, &size, &err) != YAFF_OK) {
        respond_error(SERIALIZE_ERROR, "wire_size", &err);
        return;
    }
    /* A block of exactly the promised size, so that a sanitizer sees a byte too many. */
    void *wire = malloc(size);
    if (wire == NULL && size > 0) die("out of memory");
    if (yaff_to_wire(type, m, wire, size, &written, &err) != YAFF_OK)
        respond_error(SERIALIZE_ERROR, "to_wire", &err);
    else if (written != size)
        respond(RUNTIME_ERROR, "wire_size is wrong", 18);
    else
        respond(PROTOBUF_PAYLOAD, wire, size);
    free(wire);
}

static void answer(yaff_builder *b, const conformance_ConformanceRequest *request)
{
    static const yaff_type *const types[] = {
        &protobuf_test_messages_proto3_TestAllTypesProto3_yaff_type,
        &protobuf_test_messages_proto2_TestAllTypesProto2_yaff_type,
        &conformance_FailureSet_yaff_type,
    };
    if (conformance_ConformanceRequest_payload_case(request) !=
            conformance_ConformanceRequest_payload_case_protobuf_payload ||
        conformance_ConformanceRequest_requested_output_format(request) !=
            conformance_WireFormat_PROTOBUF) {
        respond(SKIPPED, "binary only", 11);
        return;
    }
    yaff_str name = conformance_ConformanceRequest_message_type(request);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (yaff_str_equal(name, yaff_str_of(types[i]->name))) {
            convert(b, types[i], conformance_ConformanceRequest_protobuf_payload(request));
            return;
        }
    }
    respond(RUNTIME_ERROR, "unknown message type", 20);
}

int main(void)
{
    yaff_builder *requests = yaff_builder_new(NULL), *payloads = yaff_builder_new(NULL);
    if (requests == NULL || payloads == NULL) die("out of memory");
    uint8_t length[4];
    while (fread(length, 1, sizeof length, stdin) == sizeof length) {
        size_t size = yaff_load32(length);
        void *wire = malloc(size);
        if (wire == NULL && size > 0) die("out of memory");
        if (fread(wire, 1, size, stdin) != size) die("a request is cut short");
        const conformance_ConformanceRequest *request;
        yaff_error err;
        if (conformance_ConformanceRequest_from_wire(requests, wire, size, &request, &err) !=
            YAFF_OK)
            die("cannot read a request");
        free(wire);
        answer(payloads, request);
    }
    yaff_builder_free(requests);
    yaff_builder_free(payloads);
    return 0;
}

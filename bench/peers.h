// Which other libraries were found when this was configured: IF_X(code) is the code or nothing.
#ifndef YAFF_BENCH_PEERS_H
#define YAFF_BENCH_PEERS_H

#if BENCH_FLATBUFFERS
#define IF_FLATBUFFERS(...) __VA_ARGS__
#else
#define IF_FLATBUFFERS(...)
#endif

#if BENCH_CAPNP
#define IF_CAPNP(...) __VA_ARGS__
#else
#define IF_CAPNP(...)
#endif

#if BENCH_PROTOBUF_C
#define IF_PROTOBUF_C(...) __VA_ARGS__
#else
#define IF_PROTOBUF_C(...)
#endif

#if BENCH_PROTOBUF
#define IF_PROTOBUF(...) __VA_ARGS__
#else
#define IF_PROTOBUF(...)
#endif

#endif

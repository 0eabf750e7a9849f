/* A source for a library that has only headers of its own. */
typedef int bench_empty;

// Lists for the schemas whose fields are f1, f2, f3 …
#ifndef YAFF_BENCH_NUMBERS_H
#define YAFF_BENCH_NUMBERS_H

// UP_TO_n(X): X(1) X(2) … X(n).
#define NINE_OF(X, t) X(t##1) X(t##2) X(t##3) X(t##4) X(t##5) X(t##6) X(t##7) X(t##8) X(t##9)
#define UP_TO_5(X) X(1) X(2) X(3) X(4) X(5)
#define UP_TO_10(X) NINE_OF(X, ) X(10)
#define UP_TO_50(X)                                                                                \
    UP_TO_10(X) NINE_OF(X, 1) X(20) NINE_OF(X, 2) X(30) NINE_OF(X, 3) X(40) NINE_OF(X, 4) X(50)
#define UP_TO_100(X)                                                                               \
    UP_TO_50(X)                                                                                    \
    NINE_OF(X, 5)                                                                                  \
    X(60) NINE_OF(X, 6) X(70) NINE_OF(X, 7) X(80) NINE_OF(X, 8) X(90) NINE_OF(X, 9) X(100)

// MIXED_n(X): X(type, number) for the fields of mixed.proto.
#define MIXED_TEN(X, t, u)                                                                         \
    X(u64, t##1)                                                                                   \
    X(i32, t##2)                                                                                   \
    X(str, t##3)                                                                                   \
    X(f64, t##4) X(flag, t##5) X(i32, t##6) X(i64, t##7) X(f32, t##8) X(u32, t##9) X(bytes, u##0)
#define MIXED_40(X) MIXED_TEN(X, , 1) MIXED_TEN(X, 1, 2) MIXED_TEN(X, 2, 3) MIXED_TEN(X, 3, 4)
#define MIXED_50(X) MIXED_40(X) MIXED_TEN(X, 4, 5)

#endif

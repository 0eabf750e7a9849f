/* Words that generated code must not use as they stand: C and C++ keywords, and what the standard
 * and POSIX headers declare or define. See reserved.h. */
#include "reserved.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */

/* Keywords, alternative tokens, macros that stand for something without parentheses, and the types
 * that generated structs use. They may not even be the name of a struct's member. Sorted. */
static const char *const words[] = {
    "BUFSIZ", "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "DECIMAL_DIG", "DOMAIN", "EOF", "EXIT_FAILURE",
    "EXIT_SUCCESS", "FALSE", "FILENAME_MAX", "FOPEN_MAX", "HUGE", "HUGE_VAL", "HUGE_VALF",
    "HUGE_VALL", "I", "INFINITY", "LLONG_MAX", "LLONG_MIN", "LONG_MAX", "LONG_MIN", "L_tmpnam",
    "MATH_ERREXCEPT", "MATH_ERRNO", "MAXFLOAT", "MB_CUR_MAX", "MB_LEN_MAX", "M_1_PI", "M_2_PI",
    "M_2_SQRTPI", "M_E", "M_LN10", "M_LN2", "M_LOG10E", "M_LOG2E", "M_PI", "M_PI_2", "M_PI_4",
    "M_SQRT1_2", "M_SQRT2", "NAN", "NULL", "ONCE_FLAG_INIT", "OVERFLOW", "PPC", "PTRDIFF_MAX",
    "PTRDIFF_MIN", "RAND_MAX", "SCHAR_MAX", "SCHAR_MIN", "SEEK_CUR", "SEEK_END", "SEEK_SET",
    "SHRT_MAX", "SHRT_MIN", "SING", "SIZE_MAX", "TIME_UTC", "TMP_MAX", "TRUE",
    "TSS_DTOR_ITERATIONS", "UCHAR_MAX", "ULLONG_MAX", "ULONG_MAX", "UNDERFLOW", "USHRT_MAX",
    "WCHAR_MAX", "WCHAR_MIN", "WEOF", "WINT_MAX", "WINT_MIN", "alignas", "alignof", "and", "and_eq",
    "arm", "asm", "assert", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl",
    "complex", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue",
    "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "errno",
    "explicit", "export", "extern", "false", "far", "float", "for", "friend", "goto", "hpux",
    "i386", "i486", "i586", "i686", "if", "imaginary", "inline", "int", "int16_t", "int32_t",
    "int64_t", "int8_t", "interface", "intmax_t", "intptr_t", "linux", "long", "math_errhandling",
    "mips", "mutable", "namespace", "near", "new", "noexcept", "noreturn", "not", "not_eq",
    "nullptr", "offsetof", "operator", "or", "or_eq", "private", "protected", "ptrdiff_t", "public",
    "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed", "size_t",
    "sizeof", "small", "sparc", "ssize_t", "static", "static_assert", "static_cast", "stderr",
    "stdin", "stdout", "struct", "sun", "switch", "template", "this", "thread_local", "throw",
    "true", "try", "typedef", "typeid", "typename", "typeof", "typeof_unqual", "uint16_t",
    "uint32_t", "uint64_t", "uint8_t", "uintmax_t", "uintptr_t", "union", "unix", "unsigned",
    "using", "vax", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
};

/* Functions, function-like macros and types of the standard headers, and the parameter names of
 * generated functions. Only a symbol at file scope may not be one of these. Sorted. */
static const char *const globals[] = {
    "CMPLX", "CMPLXF", "CMPLXL", "CMSG_ALIGN", "CMSG_DATA", "CMSG_FIRSTHDR", "CMSG_LEN",
    "CMSG_NXTHDR", "CMSG_SPACE", "DIR", "FD_CLR", "FD_ISSET", "FD_SET", "FD_ZERO", "FILE",
    "S_ISBLK", "S_ISCHR", "S_ISDIR", "S_ISFIFO", "S_ISLNK", "S_ISREG", "S_ISSOCK", "S_TYPEISMQ",
    "S_TYPEISSEM", "S_TYPEISSHM", "WEXITSTATUS", "WIFCONTINUED", "WIFEXITED", "WIFSIGNALED",
    "WIFSTOPPED", "WSTOPSIG", "WTERMSIG", "a64l", "abort", "abs", "accept", "access", "acos",
    "acosf", "acosh", "acoshf", "acoshl", "acosl", "alarm", "aligned_alloc", "alphasort", "array",
    "asctime", "asctime_r", "asin", "asinf", "asinh", "asinhf", "asinhl", "asinl", "at_quick_exit",
    "atan", "atan2", "atan2f", "atan2l", "atanf", "atanh", "atanhf", "atanhl", "atanl", "atexit",
    "atof", "atoi", "atol", "atoll", "atomic_bool", "atomic_char", "atomic_char16_t",
    "atomic_char32_t", "atomic_compare_exchange_strong", "atomic_compare_exchange_strong_explicit",
    "atomic_compare_exchange_weak", "atomic_compare_exchange_weak_explicit", "atomic_exchange",
    "atomic_exchange_explicit", "atomic_fetch_add", "atomic_fetch_add_explicit", "atomic_fetch_and",
    "atomic_fetch_and_explicit", "atomic_fetch_or", "atomic_fetch_or_explicit", "atomic_fetch_sub",
    "atomic_fetch_sub_explicit", "atomic_fetch_xor", "atomic_fetch_xor_explicit",
    "atomic_flag_clear", "atomic_flag_clear_explicit", "atomic_flag_test_and_set",
    "atomic_flag_test_and_set_explicit", "atomic_init", "atomic_int", "atomic_int_fast16_t",
    "atomic_int_fast32_t", "atomic_int_fast64_t", "atomic_int_fast8_t", "atomic_int_least16_t",
    "atomic_int_least32_t", "atomic_int_least64_t", "atomic_int_least8_t", "atomic_intmax_t",
    "atomic_intptr_t", "atomic_is_lock_free", "atomic_llong", "atomic_load", "atomic_load_explicit",
    "atomic_long", "atomic_ptrdiff_t", "atomic_schar", "atomic_short", "atomic_signal_fence",
    "atomic_size_t", "atomic_store", "atomic_store_explicit", "atomic_thread_fence", "atomic_uchar",
    "atomic_uint", "atomic_uint_fast16_t", "atomic_uint_fast32_t", "atomic_uint_fast64_t",
    "atomic_uint_fast8_t", "atomic_uint_least16_t", "atomic_uint_least32_t",
    "atomic_uint_least64_t", "atomic_uint_least8_t", "atomic_uintmax_t", "atomic_uintptr_t",
    "atomic_ullong", "atomic_ulong", "atomic_ushort", "atomic_wchar_t", "b", "bcmp", "bcopy",
    "bind", "bsearch", "btowc", "buffer", "bzero", "c16rtomb", "c32rtomb", "cabs", "cabsf", "cabsl",
    "cacos", "cacosf", "cacosh", "cacoshf", "cacoshl", "cacosl", "call_once", "calloc", "capacity",
    "carg", "cargf", "cargl", "casin", "casinf", "casinh", "casinhf", "casinhl", "casinl", "catan",
    "catanf", "catanh", "catanhf", "catanhl", "catanl", "cbrt", "cbrtf", "cbrtl", "ccos", "ccosf",
    "ccosh", "ccoshf", "ccoshl", "ccosl", "ceil", "ceilf", "ceill", "cexp", "cexpf", "cexpl",
    "chdir", "chmod", "chown", "cimag", "cimagf", "cimagl", "clearerr", "clock",
    "clock_getcpuclockid", "clock_getres", "clock_gettime", "clock_nanosleep", "clock_settime",
    "clock_t", "clog", "clogf", "clogl", "close", "closedir", "cnd_broadcast", "cnd_destroy",
    "cnd_init", "cnd_signal", "cnd_timedwait", "cnd_wait", "confstr", "conj", "conjf", "conjl",
    "connect", "copysign", "copysignf", "copysignl", "cos", "cosf", "cosh", "coshf", "coshl",
    "cosl", "cpow", "cpowf", "cpowl", "cproj", "cprojf", "cprojl", "creal", "crealf", "creall",
    "creat", "csin", "csinf", "csinh", "csinhf", "csinhl", "csinl", "csqrt", "csqrtf", "csqrtl",
    "ctan", "ctanf", "ctanh", "ctanhf", "ctanhl", "ctanl", "ctermid", "ctime", "ctime_r",
    "daylight", "dev_t", "difftime", "dirfd", "div", "double_t", "dprintf", "drand48", "drem",
    "dup", "dup2", "duplocale", "e", "entry", "environ", "erand48", "erf", "erfc", "erfcf", "erfcl",
    "erff", "erfl", "err", "execl", "execle", "execlp", "execv", "execve", "execvp", "exit", "exp",
    "exp10", "exp2", "exp2f", "exp2l", "expf", "expl", "expm1", "expm1f", "expm1l", "fabs", "fabsf",
    "fabsl", "faccessat", "fchdir", "fchmod", "fchmodat", "fchown", "fchownat", "fclose", "fcntl",
    "fd_set", "fdatasync", "fdim", "fdimf", "fdiml", "fdopen", "fdopendir", "feclearexcept",
    "fegetenv", "fegetexceptflag", "fegetround", "feholdexcept", "feof", "feraiseexcept", "ferror",
    "fesetenv", "fesetexceptflag", "fesetround", "fetestexcept", "feupdateenv", "fexcept_t",
    "fexecve", "fflush", "ffs", "fgetc", "fgetpos", "fgets", "fgetwc", "fgetws", "fileno", "first",
    "float_t", "flockfile", "floor", "floorf", "floorl", "fma", "fmaf", "fmal", "fmax", "fmaxf",
    "fmaxl", "fmemopen", "fmin", "fminf", "fminl", "fmod", "fmodf", "fmodl", "fopen", "fork",
    "fpathconf", "fpclassify", "fpos_t", "fprintf", "fputc", "fputs", "fputwc", "fputws", "fread",
    "free", "freelocale", "freopen", "frexp", "frexpf", "frexpl", "fscanf", "fseek", "fseeko",
    "fsetpos", "fstat", "fstatat", "fsync", "ftell", "ftello", "ftruncate", "ftrylockfile",
    "funlockfile", "futimens", "fwide", "fwprintf", "fwrite", "fwscanf", "gamma", "getc",
    "getc_unlocked", "getchar", "getchar_unlocked", "getcwd", "getdate", "getdelim", "getegid",
    "getenv", "geteuid", "getgid", "getgroups", "gethostid", "gethostname", "getitimer", "getline",
    "getlogin", "getlogin_r", "getopt", "getpeername", "getpgid", "getpgrp", "getpid", "getppid",
    "getsid", "getsockname", "getsockopt", "getsubopt", "gettimeofday", "getuid", "getwc",
    "getwchar", "gid_t", "gmtime", "gmtime_r", "grantpt", "hypot", "hypotf", "hypotl", "i", "ilogb",
    "ilogbf", "ilogbl", "imaxabs", "imaxdiv", "index", "initstate", "ino_t", "int_fast16_t",
    "int_fast32_t", "int_fast64_t", "int_fast8_t", "int_least16_t", "int_least32_t",
    "int_least64_t", "int_least8_t", "isalnum", "isalnum_l", "isalpha", "isalpha_l", "isascii",
    "isatty", "isblank", "isblank_l", "iscntrl", "iscntrl_l", "isdigit", "isdigit_l", "isfinite",
    "isgraph", "isgraph_l", "isgreater", "isgreaterequal", "isinf", "isless", "islessequal",
    "islessgreater", "islower", "islower_l", "isnan", "isnormal", "isprint", "isprint_l", "ispunct",
    "ispunct_l", "isspace", "isspace_l", "isunordered", "isupper", "isupper_l", "iswalnum",
    "iswalnum_l", "iswalpha", "iswalpha_l", "iswblank", "iswblank_l", "iswcntrl", "iswcntrl_l",
    "iswctype", "iswctype_l", "iswdigit", "iswdigit_l", "iswgraph", "iswgraph_l", "iswlower",
    "iswlower_l", "iswprint", "iswprint_l", "iswpunct", "iswpunct_l", "iswspace", "iswspace_l",
    "iswupper", "iswupper_l", "iswxdigit", "iswxdigit_l", "isxdigit", "isxdigit_l", "j0", "j1",
    "jn", "jrand48", "key", "kill", "kill_dependency", "killpg", "l64a", "labs", "lchown",
    "lcong48", "ldexp", "ldexpf", "ldexpl", "ldiv", "lgamma", "lgammaf", "lgammal", "link",
    "linkat", "listen", "llabs", "lldiv", "llrint", "llrintf", "llrintl", "llround", "llroundf",
    "llroundl", "localeconv", "localtime", "localtime_r", "lockf", "log", "log10", "log10f",
    "log10l", "log1p", "log1pf", "log1pl", "log2", "log2f", "log2l", "logb", "logbf", "logbl",
    "logf", "logl", "longjmp", "lrand48", "lrint", "lrintf", "lrintl", "lround", "lroundf",
    "lroundl", "lseek", "lstat", "m", "main", "major", "makedev", "malloc", "mblen", "mbrlen",
    "mbrtoc16", "mbrtoc32", "mbrtowc", "mbsinit", "mbsnrtowcs", "mbsrtowcs", "mbstate_t",
    "mbstowcs", "mbtowc", "memccpy", "memchr", "memcmp", "memcpy", "memmove", "memset", "minor",
    "mkdir", "mkdirat", "mkdtemp", "mkfifo", "mkfifoat", "mknod", "mknodat", "mkstemp", "mktime",
    "mlock", "mlockall", "mmap", "mode_t", "modf", "modff", "modfl", "mprotect", "mq_close",
    "mq_getattr", "mq_notify", "mq_open", "mq_receive", "mq_send", "mq_setattr", "mq_timedreceive",
    "mq_timedsend", "mq_unlink", "mrand48", "msync", "mtx_destroy", "mtx_init", "mtx_lock",
    "mtx_timedlock", "mtx_trylock", "mtx_unlock", "munlock", "munlockall", "munmap", "n", "nan",
    "nanf", "nanl", "nanosleep", "nearbyint", "nearbyintf", "nearbyintl", "newlocale", "nextafter",
    "nextafterf", "nextafterl", "nexttoward", "nexttowardf", "nexttowardl", "nice", "nrand48",
    "off_t", "once_flag", "open", "open_memstream", "open_wmemstream", "openat", "opendir",
    "optarg", "opterr", "optind", "optopt", "out", "pathconf", "pause", "pclose", "perror", "pid_t",
    "pipe", "poll", "popen", "posix_fadvise", "posix_fallocate", "posix_madvise", "posix_memalign",
    "posix_openpt", "pow", "pow10", "powf", "powl", "pread", "printf", "pselect", "psiginfo",
    "psignal", "pthread_atfork", "pthread_attr_destroy", "pthread_attr_getdetachstate",
    "pthread_attr_getguardsize", "pthread_attr_getinheritsched", "pthread_attr_getschedparam",
    "pthread_attr_getschedpolicy", "pthread_attr_getscope", "pthread_attr_getstack",
    "pthread_attr_getstackaddr", "pthread_attr_getstacksize", "pthread_attr_init",
    "pthread_attr_setdetachstate", "pthread_attr_setguardsize", "pthread_attr_setinheritsched",
    "pthread_attr_setschedparam", "pthread_attr_setschedpolicy", "pthread_attr_setscope",
    "pthread_attr_setstack", "pthread_attr_setstackaddr", "pthread_attr_setstacksize",
    "pthread_barrier_destroy", "pthread_barrier_init", "pthread_barrier_wait",
    "pthread_barrierattr_destroy", "pthread_barrierattr_getpshared", "pthread_barrierattr_init",
    "pthread_barrierattr_setpshared", "pthread_cancel", "pthread_cleanup_pop",
    "pthread_cleanup_push", "pthread_cond_broadcast", "pthread_cond_destroy", "pthread_cond_init",
    "pthread_cond_signal", "pthread_cond_timedwait", "pthread_cond_wait",
    "pthread_condattr_destroy", "pthread_condattr_getclock", "pthread_condattr_getpshared",
    "pthread_condattr_init", "pthread_condattr_setclock", "pthread_condattr_setpshared",
    "pthread_create", "pthread_detach", "pthread_equal", "pthread_exit", "pthread_getconcurrency",
    "pthread_getcpuclockid", "pthread_getschedparam", "pthread_getspecific", "pthread_join",
    "pthread_key_create", "pthread_key_delete", "pthread_kill", "pthread_mutex_consistent",
    "pthread_mutex_destroy", "pthread_mutex_getprioceiling", "pthread_mutex_init",
    "pthread_mutex_lock", "pthread_mutex_setprioceiling", "pthread_mutex_timedlock",
    "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_mutexattr_destroy",
    "pthread_mutexattr_getprioceiling", "pthread_mutexattr_getprotocol",
    "pthread_mutexattr_getpshared", "pthread_mutexattr_getrobust", "pthread_mutexattr_gettype",
    "pthread_mutexattr_init", "pthread_mutexattr_setprioceiling", "pthread_mutexattr_setprotocol",
    "pthread_mutexattr_setpshared", "pthread_mutexattr_setrobust", "pthread_mutexattr_settype",
    "pthread_once", "pthread_rwlock_destroy", "pthread_rwlock_init", "pthread_rwlock_rdlock",
    "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock", "pthread_rwlock_unlock", "pthread_rwlock_wrlock",
    "pthread_rwlockattr_destroy", "pthread_rwlockattr_getkind_np", "pthread_rwlockattr_getpshared",
    "pthread_rwlockattr_init", "pthread_rwlockattr_setkind_np", "pthread_rwlockattr_setpshared",
    "pthread_self", "pthread_setcancelstate", "pthread_setcanceltype", "pthread_setconcurrency",
    "pthread_setschedparam", "pthread_setschedprio", "pthread_setspecific", "pthread_sigmask",
    "pthread_spin_destroy", "pthread_spin_init", "pthread_spin_lock", "pthread_spin_trylock",
    "pthread_spin_unlock", "pthread_testcancel", "ptsname", "putc", "putc_unlocked", "putchar",
    "putchar_unlocked", "putenv", "puts", "putwc", "putwchar", "pwrite", "qsort", "quick_exit",
    "raise", "rand", "rand_r", "random", "read", "readdir", "readdir_r", "readlink", "readlinkat",
    "realloc", "realpath", "recv", "recvfrom", "recvmsg", "ref", "remainder", "remainderf",
    "remainderl", "remove", "remquo", "remquof", "remquol", "rename", "renameat", "rewind",
    "rewinddir", "rindex", "rint", "rintf", "rintl", "rmdir", "round", "roundf", "roundl",
    "scalbln", "scalblnf", "scalblnl", "scalbn", "scalbnf", "scalbnl", "scandir", "scanf",
    "sched_get_priority_max", "sched_get_priority_min", "sched_getparam", "sched_getscheduler",
    "sched_rr_get_interval", "sched_setparam", "sched_setscheduler", "sched_yield", "seed48",
    "seekdir", "select", "sem_close", "sem_destroy", "sem_getvalue", "sem_init", "sem_open",
    "sem_post", "sem_timedwait", "sem_trywait", "sem_unlink", "sem_wait", "send", "sendmsg",
    "sendto", "setbuf", "setegid", "setenv", "seteuid", "setgid", "setitimer", "setjmp",
    "setlocale", "setpgid", "setpgrp", "setregid", "setreuid", "setsid", "setsockopt", "setstate",
    "setuid", "setvbuf", "shm_open", "shm_unlink", "shutdown", "sig_atomic_t", "sigaction",
    "sigaddset", "sigaltstack", "sigdelset", "sigemptyset", "sigfillset", "sighold", "sigignore",
    "siginterrupt", "sigismember", "siglongjmp", "signal", "signbit", "signgam", "sigpause",
    "sigpending", "sigprocmask", "sigqueue", "sigrelse", "sigset", "sigsetjmp", "sigsuspend",
    "sigtimedwait", "sigwait", "sigwaitinfo", "sin", "sinf", "sinh", "sinhf", "sinhl", "sinl",
    "size", "sleep", "snprintf", "sockaddr", "sockatmark", "socket", "socketpair", "span",
    "sprintf", "sqrt", "sqrtf", "sqrtl", "srand", "srand48", "srandom", "sscanf", "stat", "status",
    "std", "stpcpy", "stpncpy", "strcasecmp", "strcasecmp_l", "strcat", "strchr", "strcmp",
    "strcoll", "strcoll_l", "strcpy", "strcspn", "strdup", "strerror", "strerror_l", "strerror_r",
    "strftime", "strftime_l", "strlen", "strncasecmp", "strncasecmp_l", "strncat", "strncmp",
    "strncpy", "strndup", "strnlen", "strpbrk", "strptime", "strrchr", "strsignal", "strspn",
    "strstr", "strtod", "strtof", "strtoimax", "strtok", "strtok_r", "strtol", "strtold", "strtoll",
    "strtoul", "strtoull", "strtoumax", "strxfrm", "strxfrm_l", "swab", "swprintf", "swscanf",
    "symlink", "symlinkat", "sync", "sysconf", "system", "tan", "tanf", "tanh", "tanhf", "tanhl",
    "tanl", "tcgetpgrp", "tcsetpgrp", "telldir", "tempnam", "tgamma", "tgammaf", "tgammal",
    "thrd_create", "thrd_current", "thrd_detach", "thrd_equal", "thrd_exit", "thrd_join",
    "thrd_sleep", "thrd_t", "thrd_yield", "time", "time_t", "timer_create", "timer_delete",
    "timer_getoverrun", "timer_gettime", "timer_settime", "timespec", "timespec_get", "timeval",
    "timezone", "tm", "tmpfile", "tmpnam", "toascii", "tolower", "tolower_l", "toupper",
    "toupper_l", "towctrans", "towctrans_l", "towlower", "towlower_l", "towupper", "towupper_l",
    "trunc", "truncate", "truncf", "truncl", "tss_create", "tss_delete", "tss_get", "tss_set",
    "tss_t", "ttyname", "ttyname_r", "tzname", "tzset", "uid_t", "uint_fast16_t", "uint_fast32_t",
    "uint_fast64_t", "uint_fast8_t", "uint_least16_t", "uint_least32_t", "uint_least64_t",
    "uint_least8_t", "umask", "ungetc", "ungetwc", "unlink", "unlinkat", "unlockpt", "unsetenv",
    "uselocale", "utimensat", "utimes", "va_arg", "va_copy", "va_end", "va_list", "va_start",
    "value", "vdprintf", "vfprintf", "vfscanf", "vfwprintf", "vfwscanf", "vprintf", "vscanf",
    "vsnprintf", "vsprintf", "vsscanf", "vswprintf", "vswscanf", "vwprintf", "vwscanf", "wait",
    "waitid", "waitpid", "wcpcpy", "wcpncpy", "wcrtomb", "wcscasecmp", "wcscasecmp_l", "wcscat",
    "wcschr", "wcscmp", "wcscoll", "wcscoll_l", "wcscpy", "wcscspn", "wcsdup", "wcsftime", "wcslen",
    "wcsncasecmp", "wcsncasecmp_l", "wcsncat", "wcsncmp", "wcsncpy", "wcsnlen", "wcsnrtombs",
    "wcspbrk", "wcsrchr", "wcsrtombs", "wcsspn", "wcsstr", "wcstod", "wcstof", "wcstoimax",
    "wcstok", "wcstol", "wcstold", "wcstoll", "wcstombs", "wcstoul", "wcstoull", "wcstoumax",
    "wcswcs", "wcswidth", "wcsxfrm", "wcsxfrm_l", "wctob", "wctomb", "wctrans", "wctrans_l",
    "wctrans_t", "wctype", "wctype_l", "wctype_t", "wcwidth", "whole", "wint_t", "wire", "wmemchr",
    "wmemcmp", "wmemcpy", "wmemmove", "wmemset", "wprintf", "write", "written", "wscanf", "y0",
    "y1", "yn",
};

/* clang-format on */

/* Families of macros that the C standard sets aside: a prefix, then only capitals, digits and
 * underscores (for PRI and SCN lower-case letters too). */
static const char *const families[] = {
    "ATOMIC_", "CLOCKS_", "DBL_",  "E",   "FE_", "FLT_", "FP_",
    "INT",     "LC_",     "LDBL_", "PRI", "SCN", "SIG",  "UINT",
};

static int compare(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

static bool in_family(const char *word)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        size_t size = strlen(families[i]);
        bool format = families[i][0] == 'P' || families[i][1] == 'C';
        if (strncmp(word, families[i], size) != 0 || !word[size]) continue;
        if (word[size + strspn(word + size, format ? letters : capitals)] == 0) return true;
    }
    return false;
}

bool yaff_reserved_word(const char *word)
{
    return in_family(word) ||
           bsearch(word, words, sizeof words / sizeof *words, sizeof *words, compare) != NULL;
}

bool yaff_reserved_global(const char *word)
{
    return yaff_reserved_word(word) || bsearch(word, globals, sizeof globals / sizeof *globals,
                                               sizeof *globals, compare) != NULL;
}

/* The texts and names of yaff_status. */
#include <yaff/status.h>

const char *yaff_status_text(yaff_status status)
{
    switch (status) {
#define YAFF_STATUS_TEXT(number, name, text)                                                       \
    case YAFF_##name:                                                                              \
        return text;
        YAFF_STATUS_LIST(YAFF_STATUS_TEXT)
#undef YAFF_STATUS_TEXT
    case YAFF_STATUS_COUNT:
        break;
    }
    return "unknown status";
}

const char *yaff_status_name(yaff_status status)
{
    switch (status) {
#define YAFF_STATUS_NAME(number, name, text)                                                       \
    case YAFF_##name:                                                                              \
        return "YAFF_" #name;
        YAFF_STATUS_LIST(YAFF_STATUS_NAME)
#undef YAFF_STATUS_NAME
    case YAFF_STATUS_COUNT:
        break;
    }
    return "unknown status";
}

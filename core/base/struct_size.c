#include "base/struct_size.h"

#include "base/status.h"

#include <string.h>

JnStatus struct_size_check(void *target, size_t given, size_t expected, const char *type, JnMessage *message) {
    if (!target)
        return status_fail(message, JN_ERR_ARGUMENT, "the %s to fill is NULL: give its address", type);
    if (given == expected)
        return JN_OK;
    if (given >= sizeof(uint32_t))
        memset(target, 0, sizeof(uint32_t));
    return status_fail(message, JN_ERR_STRUCT_SIZE,
                       "the %s to fill has %zu bytes, but that of this library has %zu: build with the header of "
                       "library version %s",
                       type, given, expected, jn_version());
}

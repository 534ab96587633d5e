/* Packs standard input to standard output, for test_cli_show.py to unpack by zlib. */
#include "picture/deflate.h"

#include <stdio.h>

int main(void) {
    Bytes bytes = {0}, packed = {0};
    for (int byte = getchar(); byte != EOF; byte = getchar())
        bytes_add(&bytes, (uint8_t)byte);
    bool done = !bytes.failed && deflate_pack(bytes.data, bytes.count, &packed) &&
                fwrite(packed.data, 1, packed.count, stdout) == packed.count;
    bytes_free(&bytes);
    bytes_free(&packed);
    return done ? 0 : 1;
}

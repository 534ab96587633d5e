/* libFuzzer target for every mesh reader. The first byte chooses the format; of a format of two files the
   rest is split at the first zero byte.

     clang -std=c17 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined -Icore/include -Icore
   \ tests/fuzz/fuzz_mesh.c core/geometry/[a-z]*.c core/base/[st]*.c core/base/os/os_posix.c -lm -o fuzz_mesh
     ./fuzz_mesh -max_len=4096 corpus */
#include "geometry/mesh.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t format_count = 0;
    while (mesh_format(format_count))
        ++format_count;
    if (size < 1)
        return 0;
    const MeshFormat *format = mesh_format(data[0] % format_count);
    const uint8_t *bytes = data + 1, *zero = format->companion ? memchr(bytes, 0, size - 1) : NULL;
    size_t first_size = zero ? (size_t)(zero - bytes) : size - 1;
    TextFile file = textfile_open("first", bytes, first_size);
    TextFile companion = textfile_open("second", bytes + first_size, size - 1 - first_size);
    if (zero)
        companion = textfile_open("second", zero + 1, size - 2 - first_size);
    JnMesh *mesh;
    JnMessage message;
    if (mesh_parse(format, &file, &companion, &mesh, &message) == JN_OK)
        jn_mesh_free(mesh);
    return 0;
}

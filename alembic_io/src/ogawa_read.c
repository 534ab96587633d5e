/* Layer 1, reading: the Ogawa container. See ogawa_read.h. */
#include "ogawa_read.h"

#include "abc_bytes.h"

#include <inttypes.h>
#include <stdlib.h>

static const uint8_t HDF5_MAGIC[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

AbcStatus ogawa_open_file(OgawaSource *source, const char *path, bool map, AbcError *error) {
    *source = (OgawaSource){.file = {OS_NO_FILE}};
    if (!path)
        return abc_fail(error, ABC_ERR_ARGUMENT, "No path was given to read an archive from.");
    int failed = abc_os_open_read(&source->file, path);
    if (failed)
        return abc_fail_io(error, failed, "Cannot open", path);
    failed = abc_os_size(source->file, &source->size);
    if (!failed && map && source->size > 0 && source->size <= SIZE_MAX) {
        failed = abc_os_map(source->file, (size_t)source->size, &source->memory);
        source->mapped = !failed;
    }
    if (failed) {
        ogawa_close(source);
        return abc_fail_io(error, failed, "Cannot read", path);
    }
    return ABC_OK;
}

AbcStatus ogawa_open_memory(OgawaSource *source, const void *bytes, size_t size, AbcError *error) {
    *source = (OgawaSource){.memory = bytes, .file = {OS_NO_FILE}, .size = size};
    if (!bytes)
        return abc_fail(error, ABC_ERR_ARGUMENT, "No bytes were given to read an archive from.");
    return ABC_OK;
}

void ogawa_close(OgawaSource *source) {
    if (source->mapped)
        abc_os_unmap(source->memory, (size_t)source->size);
    abc_os_close(&source->file);
    *source = (OgawaSource){.file = {OS_NO_FILE}};
}

AbcStatus ogawa_read(const OgawaSource *source, uint64_t position, void *bytes, size_t size, const char *what,
                     AbcError *error) {
    if (position > source->size || size > source->size - position)
        return abc_fail_at(error, position,
                           "The file ends before the %s: %zu bytes are needed, the file has %" PRIu64 ".", what, size,
                           source->size);
    if (source->memory) {
        memcpy(bytes, source->memory + position, size);
        return ABC_OK;
    }
    int failed = abc_os_read_at(source->file, position, bytes, size);
    if (failed == OS_END_OF_FILE)
        return abc_fail_at(error, position, "The file became shorter while the %s was read.", what);
    if (failed)
        return abc_fail_io(error, failed, "Cannot read the", what);
    return ABC_OK;
}

AbcStatus ogawa_root(const OgawaSource *source, OgawaGroup *group, AbcError *error) {
    uint8_t head[OGAWA_HEAD_SIZE] = {0};
    size_t available = source->size < sizeof head ? (size_t)source->size : sizeof head;
    AbcStatus status = ogawa_read(source, 0, head, available, "head of the file", error);
    if (status)
        return status;
    if (available >= 8 && memcmp(head, HDF5_MAGIC, 8) == 0)
        return abc_fail(error, ABC_ERR_NOT_ALEMBIC,
                        "The file is an HDF5 archive of an old Alembic; only Ogawa archives can be read. Export it "
                        "again, or convert it with abcconvert -toOgawa.");
    if (available < sizeof head || memcmp(head, "Ogawa", 5) != 0)
        return abc_fail(error, ABC_ERR_NOT_ALEMBIC,
                        "The file is not an Alembic archive: it does not begin with \"Ogawa\".");
    unsigned version = (unsigned)head[6] << 8 | head[7];
    if (version != 1)
        return abc_fail(error, ABC_ERR_UNSUPPORTED, "The file has version %u of the Ogawa format; version 1 is known.",
                        version);
    if (head[5] != 0xff)
        return abc_fail_at(error, 5,
                           "The archive is not finished: the program that wrote it was interrupted. Write it again.");
    status = ogawa_group_at(source, get_u64(head + 8), 8, group, "root group", error);
    if (status == ABC_OK && group->child_count == 0)
        return abc_fail_at(error, 8, "The archive has an empty root group.");
    return status;
}

uint64_t ogawa_link_position(OgawaGroup group, uint64_t index) {
    return group.position + 8 + 8 * index;
}

AbcStatus ogawa_child(const OgawaSource *source, OgawaGroup group, uint64_t index, uint64_t *link, const char *what,
                      AbcError *error) {
    if (index >= group.child_count)
        return abc_fail_at(error, group.position,
                           "The group holds %" PRIu64 " children, but the %s is its child number %" PRIu64 ".",
                           group.child_count, what, index);
    uint8_t bytes[8];
    AbcStatus status = ogawa_read(source, ogawa_link_position(group, index), bytes, sizeof bytes, what, error);
    if (status == ABC_OK)
        *link = get_u64(bytes);
    return status;
}

AbcStatus ogawa_group_at(const OgawaSource *source, uint64_t link, uint64_t place, OgawaGroup *group, const char *what,
                         AbcError *error) {
    *group = (OgawaGroup){0};
    if (link & OGAWA_DATA_BIT)
        return abc_fail_at(error, place, "The %s should be a group but is data.", what);
    if (link == OGAWA_EMPTY_GROUP)
        return ABC_OK;
    if (link < OGAWA_HEAD_SIZE || link > source->size || source->size - link < 8)
        return abc_fail_at(error, place, "The %s lies at byte %" PRIu64 ", outside of the file of %" PRIu64 " bytes.",
                           what, link, source->size);
    uint8_t bytes[8];
    AbcStatus status = ogawa_read(source, link, bytes, sizeof bytes, what, error);
    if (status)
        return status;
    uint64_t count = get_u64(bytes);
    if (count > (source->size - link - 8) / 8)
        return abc_fail_at(error, link, "The %s claims %" PRIu64 " children, more than the rest of the file can hold.",
                           what, count);
    *group = (OgawaGroup){link, count};
    return ABC_OK;
}

AbcStatus ogawa_data_at(const OgawaSource *source, uint64_t link, uint64_t place, OgawaData *data, const char *what,
                        AbcError *error) {
    *data = (OgawaData){0};
    if (!(link & OGAWA_DATA_BIT))
        return abc_fail_at(error, place, "The %s should be data but is a group.", what);
    uint64_t position = link & ~OGAWA_DATA_BIT;
    if (position == 0)
        return ABC_OK;
    if (position < OGAWA_HEAD_SIZE || position > source->size || source->size - position < 8)
        return abc_fail_at(error, place, "The %s lies at byte %" PRIu64 ", outside of the file of %" PRIu64 " bytes.",
                           what, position, source->size);
    uint8_t bytes[8];
    AbcStatus status = ogawa_read(source, position, bytes, sizeof bytes, what, error);
    if (status)
        return status;
    uint64_t size = get_u64(bytes);
    if (size > source->size - position - 8)
        return abc_fail_at(error, position, "The %s claims %" PRIu64 " bytes, more than the rest of the file holds.",
                           what, size);
    *data = (OgawaData){position + 8, size};
    return ABC_OK;
}

AbcStatus ogawa_child_group(const OgawaSource *source, OgawaGroup group, uint64_t index, OgawaGroup *child,
                            const char *what, AbcError *error) {
    uint64_t link;
    AbcStatus status = ogawa_child(source, group, index, &link, what, error);
    return status ? status : ogawa_group_at(source, link, ogawa_link_position(group, index), child, what, error);
}

AbcStatus ogawa_child_data(const OgawaSource *source, OgawaGroup group, uint64_t index, OgawaData *child,
                           const char *what, AbcError *error) {
    uint64_t link;
    AbcStatus status = ogawa_child(source, group, index, &link, what, error);
    return status ? status : ogawa_data_at(source, link, ogawa_link_position(group, index), child, what, error);
}

AbcStatus ogawa_load(const OgawaSource *source, OgawaData data, uint8_t **bytes, const char *what, AbcError *error) {
    /* the size was checked against the file, so no allocation is larger than the file */
    *bytes = data.size < SIZE_MAX ? malloc((size_t)data.size + 1) : NULL;
    if (!*bytes)
        return abc_fail_memory(error, what);
    AbcStatus status = ogawa_read(source, data.position, *bytes, (size_t)data.size, what, error);
    if (status) {
        free(*bytes);
        *bytes = NULL;
        return status;
    }
    (*bytes)[data.size] = 0;
    return ABC_OK;
}

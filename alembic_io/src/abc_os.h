/* What alembic_io needs of the operating system. All calls return 0 or an errno; paths are UTF-8. */
#ifndef ABC_OS_H
#define ABC_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct OsFile {
    intptr_t handle; /* OS_NO_FILE if closed */
} OsFile;

#define OS_NO_FILE ((intptr_t)-1)

/* A read reached the end of the file: not an errno of the system. */
#define OS_END_OF_FILE (-1)
/* A pipe, a socket or a device, where a plain file is needed. */
#define OS_NOT_A_FILE (-2)

/* Another writer has the file open: no errno of the system. */
#define OS_BUSY (-3)

/* For reading, and for reading and writing. EISDIR or OS_NOT_A_FILE for what is no plain file: reading it may wait or
   go on for ever. */
int abc_os_open_read(OsFile *file, const char *path);
/* Files that are open for writing are locked until they are closed, also by the end of the process: another open
   for writing is OS_BUSY. Reading needs no lock. Where the file system has none, nothing is locked. */
int abc_os_open_update(OsFile *file, const char *path);
/* Makes the file, or empties it. */
int abc_os_create(OsFile *file, const char *path);
/* Whether the file is open for writing, by whatever program. */
bool abc_os_is_locked(const char *path);
/* Does nothing if closed. */
int abc_os_close(OsFile *file);

int abc_os_size(OsFile file, uint64_t *size);
/* All of `size` bytes or an error. */
int abc_os_read_at(OsFile file, uint64_t offset, void *bytes, size_t size);
int abc_os_write_at(OsFile file, uint64_t offset, const void *bytes, size_t size);
int abc_os_truncate(OsFile file, uint64_t size);
/* Waits until the contents are on the disk. */
int abc_os_flush(OsFile file);

/* Replaces `to` by the file at `from`, atomically; the file may be open. durable: waits until the new name is on the
   disk. */
int abc_os_replace(const char *from, const char *to, bool durable);
int abc_os_delete(const char *path);

/* Maps the whole file for reading. size is not 0. */
int abc_os_map(OsFile file, size_t size, const uint8_t **bytes);
void abc_os_unmap(const uint8_t *bytes, size_t size);

#endif

/* The operating system: Windows. See abc_os.h. Files are shared for reading, writing and renaming, as
   on POSIX. */
#if defined(_WIN32)

#include "abc_os.h"

#include <errno.h>
#include <stdlib.h>
#include <windows.h>

enum { LARGEST_TRANSFER = 1 << 30 };

static int last_error(void) {
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return ENOMEM;
    default:
        return EIO;
    }
}

static wchar_t *wide_path(const char *path) {
    int length = MultiByteToWideChar(CP_UTF8, 0, path, -1, NULL, 0);
    wchar_t *wide = length > 0 ? malloc((size_t)length * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, length);
    return wide;
}

static int open_file(OsFile *file, const char *path, DWORD access, DWORD disposition) {
    file->handle = OS_NO_FILE;
    wchar_t *wide = wide_path(path);
    if (!wide)
        return ENOMEM;
    HANDLE handle = CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, disposition,
                                FILE_ATTRIBUTE_NORMAL, NULL);
    int failed = handle == INVALID_HANDLE_VALUE ? last_error() : 0;
    free(wide);
    if (!failed)
        file->handle = (intptr_t)handle;
    return failed;
}

static int open_plain_file(OsFile *file, const char *path, DWORD access) {
    int failed = open_file(file, path, access, OPEN_EXISTING);
    if (failed || GetFileType((HANDLE)file->handle) == FILE_TYPE_DISK)
        return failed;
    abc_os_close(file);
    return OS_NOT_A_FILE;
}

int abc_os_open_read(OsFile *file, const char *path) {
    return open_plain_file(file, path, GENERIC_READ);
}

/* Locks a byte that no file has: locks keep others from reading what they cover. Where the file system has no locks,
   the file counts as locked by us. */
static bool try_lock(OsFile file, DWORD kind) {
    OVERLAPPED place = {.OffsetHigh = 0x40000000};
    return LockFileEx((HANDLE)file.handle, kind | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place) ||
           GetLastError() != ERROR_LOCK_VIOLATION;
}

static int open_locked(OsFile *file, const char *path, DWORD disposition) {
    int failed = open_file(file, path, GENERIC_READ | GENERIC_WRITE, disposition);
    if (failed || try_lock(*file, LOCKFILE_EXCLUSIVE_LOCK))
        return failed;
    abc_os_close(file);
    return OS_BUSY;
}

int abc_os_open_update(OsFile *file, const char *path) {
    return open_locked(file, path, OPEN_EXISTING);
}

int abc_os_create(OsFile *file, const char *path) {
    int failed = open_locked(file, path, OPEN_ALWAYS);
    if (!failed)
        failed = abc_os_truncate(*file, 0);
    if (failed)
        abc_os_close(file);
    return failed;
}

bool abc_os_is_locked(const char *path) {
    OsFile file;
    if (open_file(&file, path, GENERIC_READ, OPEN_EXISTING))
        return false;
    bool locked = !try_lock(file, 0);
    abc_os_close(&file);
    return locked;
}

int abc_os_close(OsFile *file) {
    if (file->handle == OS_NO_FILE)
        return 0;
    int failed = CloseHandle((HANDLE)file->handle) ? 0 : last_error();
    file->handle = OS_NO_FILE;
    return failed;
}

int abc_os_size(OsFile file, uint64_t *size) {
    LARGE_INTEGER length;
    if (!GetFileSizeEx((HANDLE)file.handle, &length))
        return last_error();
    *size = (uint64_t)length.QuadPart;
    return 0;
}

static OVERLAPPED at_offset(uint64_t offset) {
    OVERLAPPED place = {0};
    place.Offset = (DWORD)offset;
    place.OffsetHigh = (DWORD)(offset >> 32);
    return place;
}

int abc_os_read_at(OsFile file, uint64_t offset, void *bytes, size_t size) {
    unsigned char *to = bytes;
    while (size > 0) {
        DWORD part = size < LARGEST_TRANSFER ? (DWORD)size : LARGEST_TRANSFER, done = 0;
        OVERLAPPED place = at_offset(offset);
        if (!ReadFile((HANDLE)file.handle, to, part, &done, &place))
            return GetLastError() == ERROR_HANDLE_EOF ? OS_END_OF_FILE : last_error();
        if (done == 0)
            return OS_END_OF_FILE;
        to += done;
        offset += done;
        size -= done;
    }
    return 0;
}

int abc_os_write_at(OsFile file, uint64_t offset, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    while (size > 0) {
        DWORD part = size < LARGEST_TRANSFER ? (DWORD)size : LARGEST_TRANSFER, done = 0;
        OVERLAPPED place = at_offset(offset);
        if (!WriteFile((HANDLE)file.handle, from, part, &done, &place))
            return last_error();
        if (done == 0)
            return ENOSPC;
        from += done;
        offset += done;
        size -= done;
    }
    return 0;
}

int abc_os_truncate(OsFile file, uint64_t size) {
    LARGE_INTEGER end;
    end.QuadPart = (LONGLONG)size;
    if (!SetFilePointerEx((HANDLE)file.handle, end, NULL, FILE_BEGIN) || !SetEndOfFile((HANDLE)file.handle))
        return last_error();
    return 0;
}

int abc_os_flush(OsFile file) {
    return FlushFileBuffers((HANDLE)file.handle) ? 0 : last_error();
}

int abc_os_replace(const char *from, const char *to, bool durable) {
    wchar_t *wide_from = wide_path(from), *wide_to = wide_path(to);
    int failed = ENOMEM;
    if (wide_from && wide_to)
        failed = MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING | (durable ? MOVEFILE_WRITE_THROUGH : 0))
                     ? 0
                     : last_error();
    free(wide_from);
    free(wide_to);
    return failed;
}

int abc_os_delete(const char *path) {
    wchar_t *wide = wide_path(path);
    if (!wide)
        return ENOMEM;
    int failed = DeleteFileW(wide) ? 0 : last_error();
    free(wide);
    return failed;
}

int abc_os_map(OsFile file, size_t size, const uint8_t **bytes) {
    (void)size;
    HANDLE mapping = CreateFileMappingW((HANDLE)file.handle, NULL, PAGE_READONLY, 0, 0, NULL);
    if (!mapping)
        return last_error();
    const void *view = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
    int failed = view ? 0 : last_error();
    CloseHandle(mapping);
    *bytes = view;
    return failed;
}

void abc_os_unmap(const uint8_t *bytes, size_t size) {
    (void)size;
    UnmapViewOfFile(bytes);
}

#else
typedef int abc_os_windows_unused; /* a translation unit must not be empty */
#endif

/* The operating system: POSIX. See abc_os.h. */
#if !defined(_WIN32)

#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "abc_os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* One call moves at most this much: the limit of some systems is INT_MAX. */
enum { LARGEST_TRANSFER = 1 << 30 };

static int open_file(OsFile *file, const char *path, int flags) {
    int descriptor;
    do {
        descriptor = open(path, flags | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EINTR);
    file->handle = descriptor;
    return descriptor < 0 ? errno : 0;
}

/* Looks before it opens: to open a pipe may wait for its other end. */
static int check_plain(const char *path) {
    struct stat info;
    if (stat(path, &info))
        return errno;
    if (!S_ISREG(info.st_mode))
        return S_ISDIR(info.st_mode) ? EISDIR : OS_NOT_A_FILE;
    return 0;
}

static int open_plain_file(OsFile *file, const char *path) {
    int failed = check_plain(path);
    file->handle = OS_NO_FILE;
    return failed ? failed : open_file(file, path, O_RDONLY);
}

int abc_os_open_read(OsFile *file, const char *path) {
    return open_plain_file(file, path);
}

static bool try_lock(OsFile file, int kind) {
    return flock((int)file.handle, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Whether the open file is the one at `path`: another writer may have moved it since. */
static bool is_at(OsFile file, const char *path) {
    struct stat opened, there;
    return fstat((int)file.handle, &opened) == 0 && stat(path, &there) == 0 && opened.st_dev == there.st_dev &&
           opened.st_ino == there.st_ino;
}

static int open_locked(OsFile *file, const char *path, int flags) {
    for (;;) {
        int failed = open_file(file, path, flags);
        if (failed)
            return failed;
        bool locked = try_lock(*file, LOCK_EX);
        if (locked && is_at(*file, path))
            return 0;
        abc_os_close(file);
        if (!locked)
            return OS_BUSY;
    }
}

int abc_os_open_update(OsFile *file, const char *path) {
    int failed = check_plain(path);
    file->handle = OS_NO_FILE;
    return failed ? failed : open_locked(file, path, O_RDWR);
}

int abc_os_create(OsFile *file, const char *path) {
    int failed = open_locked(file, path, O_RDWR | O_CREAT);
    if (!failed)
        failed = abc_os_truncate(*file, 0);
    if (failed)
        abc_os_close(file);
    return failed;
}

bool abc_os_is_locked(const char *path) {
    OsFile file;
    if (open_plain_file(&file, path))
        return false;
    bool locked = !try_lock(file, LOCK_SH);
    abc_os_close(&file);
    return locked;
}

int abc_os_close(OsFile *file) {
    if (file->handle == OS_NO_FILE)
        return 0;
    int failed = close((int)file->handle) ? errno : 0;
    file->handle = OS_NO_FILE;
    return failed;
}

int abc_os_size(OsFile file, uint64_t *size) {
    struct stat info;
    if (fstat((int)file.handle, &info))
        return errno;
    *size = (uint64_t)info.st_size;
    return 0;
}

int abc_os_read_at(OsFile file, uint64_t offset, void *bytes, size_t size) {
    unsigned char *to = bytes;
    while (size > 0) {
        size_t part = size < LARGEST_TRANSFER ? size : LARGEST_TRANSFER;
        ssize_t done = pread((int)file.handle, to, part, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : OS_END_OF_FILE;
        to += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return 0;
}

int abc_os_write_at(OsFile file, uint64_t offset, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    while (size > 0) {
        size_t part = size < LARGEST_TRANSFER ? size : LARGEST_TRANSFER;
        ssize_t done = pwrite((int)file.handle, from, part, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        from += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return 0;
}

int abc_os_truncate(OsFile file, uint64_t size) {
    return ftruncate((int)file.handle, (off_t)size) ? errno : 0;
}

int abc_os_flush(OsFile file) {
    /* fsync, not fdatasync: the latter is missing on some systems, and the size of the file must be there too
     */
    return fsync((int)file.handle) ? errno : 0;
}

/* A new name is safe only when its folder is on the disk. Folders that cannot be flushed are ignored. */
static void flush_folder_of(const char *path) {
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof folder)
        return;
    memcpy(folder, path, length);
    strcpy(folder + length, slash ? (length ? "" : "/") : ".");
    int descriptor = open(folder, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

int abc_os_replace(const char *from, const char *to, bool durable) {
    if (rename(from, to))
        return errno;
    if (durable)
        flush_folder_of(to);
    return 0;
}

int abc_os_delete(const char *path) {
    return unlink(path) ? errno : 0;
}

int abc_os_map(OsFile file, size_t size, const uint8_t **bytes) {
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, (int)file.handle, 0);
    if (map == MAP_FAILED)
        return errno;
    *bytes = map;
    return 0;
}

void abc_os_unmap(const uint8_t *bytes, size_t size) {
    (void)munmap((void *)(uintptr_t)bytes, size);
}

#else
typedef int abc_os_posix_unused; /* a translation unit must not be empty */
#endif

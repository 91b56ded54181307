/* Makes system calls and allocations fail on order. A program that includes this has its own
 * writev, fsync, close, rename and copies within the kernel, which the linker prefers to the C
 * library's. */
#ifndef TESTS_UNIT_FAULTS_H
#define TESTS_UNIT_FAULTS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum fault_call { FAULT_NONE, FAULT_WRITEV, FAULT_SYNC, FAULT_CLOSE, FAULT_RENAME, FAULT_MALLOC };

/* The nth next `call` (from 1) fails with errno `error`; `fired` tells whether that happened.
 * error 0 on FAULT_WRITEV: it takes one byte only, this and every later time. */
static struct fault {
    enum fault_call call;
    int nth, error, fired;
} fault;

static void fault_arm(enum fault_call call, int nth, int error)
{
    fault = (struct fault){call, nth, error, 0};
}

/* Disarms and tells whether the fault fired. */
static int fault_disarm(void)
{
    int fired = fault.fired;
    fault = (struct fault){FAULT_NONE, 0, 0, 0};
    return fired;
}

static int fault_strikes(enum fault_call call)
{
    if (fault.call != call || --fault.nth != 0)
        return 0;
    fault.fired = 1;
    errno = fault.error;
    return 1;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (fault_strikes(FAULT_WRITEV)) {
        if (fault.error != 0)
            return -1;
        fault.nth = 1;
        return syscall(SYS_write, fd, parts->iov_base, (size_t)1);
    }
    return syscall(SYS_writev, fd, parts, count);
}

/* The kernel makes no reflinks, and copies so many pieces of up to 1000 bytes itself. */
static int fault_kernel_pieces;

int ioctl(int fd, unsigned long request, ...)
{
    (void)fd, (void)request;
    errno = EOPNOTSUPP;
    return -1;
}

ssize_t copy_file_range(int from, off_t *from_at, int to, off_t *to_at, size_t size, unsigned flags)
{
    if (fault_kernel_pieces-- > 0)
        return syscall(SYS_copy_file_range, from, from_at, to, to_at, size < 1000 ? size : 1000,
                       flags);
    errno = EXDEV;
    return -1;
}

int fsync(int fd)
{
    return fault_strikes(FAULT_SYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int close(int fd)
{
    int result = (int)syscall(SYS_close, fd); /* as Linux does: closed even where it fails */
    return fault_strikes(FAULT_CLOSE) ? -1 : result;
}

int rename(const char *from, const char *to)
{
    return fault_strikes(FAULT_RENAME)
               ? -1
               : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* The sanitizers bring an allocator of their own. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && defined __GLIBC__
#define FAULTS_IN_MALLOC 1
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    return fault_strikes(FAULT_MALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fault_strikes(FAULT_MALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fault_strikes(FAULT_MALLOC) ? NULL : __libc_realloc(old, size);
}
#else
#define FAULTS_IN_MALLOC 0
#endif

#endif

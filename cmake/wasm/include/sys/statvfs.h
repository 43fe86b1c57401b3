/* WASI preview 1 reports nothing about file systems. */
#ifndef SPARSECFG_WASM_STATVFS_H
#define SPARSECFG_WASM_STATVFS_H

#include <errno.h>
#include <sys/types.h>

struct statvfs {
  unsigned long f_bsize, f_frsize;
  fsblkcnt_t f_blocks, f_bfree, f_bavail;
};

static inline int statvfs(const char* path, struct statvfs* out) { return (void)path, (void)out, errno = ENOSYS, -1; }

#endif

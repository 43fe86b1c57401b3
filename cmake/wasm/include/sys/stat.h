/* WASI files have no mode bits: see libc.c. */
#ifndef SPARSECFG_WASM_STAT_H
#define SPARSECFG_WASM_STAT_H

#include_next <sys/stat.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

int chmod(const char* path, mode_t mode);
int fchmod(int file, mode_t mode);
int fchmodat(int folder, const char* path, mode_t mode, int flags);

#ifdef __cplusplus
}
#endif

#endif

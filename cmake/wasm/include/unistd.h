/* WASI has no users: see libc.c. */
#ifndef SPARSECFG_WASM_UNISTD_H
#define SPARSECFG_WASM_UNISTD_H

#include <sys/types.h>
#include_next <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

uid_t geteuid(void);

#ifdef __cplusplus
}
#endif

#endif

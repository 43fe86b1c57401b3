/* wasi-libc of 2022 has no realpath(): see libc.c. */
#ifndef SPARSECFG_WASM_STDLIB_H
#define SPARSECFG_WASM_STDLIB_H

#include_next <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

char* realpath(const char* path, char* resolved);

#ifdef __cplusplus
}
#endif

#endif

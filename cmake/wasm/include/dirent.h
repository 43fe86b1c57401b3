/* wasi-libc has no type for sockets in folders, which libc++ handles. */
#ifndef SPARSECFG_WASM_DIRENT_H
#define SPARSECFG_WASM_DIRENT_H

#include_next <dirent.h>

#ifndef DT_SOCK
#define DT_SOCK 20
#endif

#endif

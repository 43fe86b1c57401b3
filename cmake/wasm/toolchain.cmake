# A toolchain for WebAssembly with WASI preview 1, used by ci/wasm.sh and the preset `wasm`.
#
#   SPARSECFG_WASM_SYSROOT   C++ runtime and libraries, built by ci/wasm_sysroot.sh; default: the environment variable
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SPARSECFG_WASM_SYSROOT)
if(NOT SPARSECFG_WASM_SYSROOT)
  set(SPARSECFG_WASM_SYSROOT $ENV{SPARSECFG_WASM_SYSROOT})
endif()
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_VERSION 1)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(CMAKE_FIND_ROOT_PATH ${SPARSECFG_WASM_SYSROOT})
set(CMAKE_PREFIX_PATH ${SPARSECFG_WASM_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# `include` has the declarations that wasi-libc lacks. They come after the C++ headers and before those of the system.
set(emulation "-D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS")
set(CMAKE_C_FLAGS_INIT "-fwasm-exceptions -isystem ${CMAKE_CURRENT_LIST_DIR}/include ${emulation}")
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions")
if(SPARSECFG_WASM_BUILDS_RUNTIME)
  string(APPEND CMAKE_C_FLAGS_INIT " -fdeclspec")  # used by libunwind
else()
  # The experimental parts of libc++ include std::jthread and std::stop_token.
  string(APPEND CMAKE_CXX_FLAGS_INIT
    " -nostdinc++ -isystem ${SPARSECFG_WASM_SYSROOT}/include/c++/v1 -D_LIBCPP_ENABLE_EXPERIMENTAL")
endif()
string(APPEND CMAKE_CXX_FLAGS_INIT " -isystem ${CMAKE_CURRENT_LIST_DIR}/include ${emulation}")

# The destructors of static objects do not run at exit: see libc.c. The stack comes first in memory, so that an overflow
# traps and does not overwrite data.
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-fwasm-exceptions -nostdlib++ -L${SPARSECFG_WASM_SYSROOT}/lib -Wl,-z,stack-size=8388608 -Wl,--stack-first -Wl,--wrap=__cxa_atexit")
set(CMAKE_CXX_STANDARD_LIBRARIES
  "-lc++ -lc++abi -lunwind -lsparsecfg-libc -lwasi-emulated-signal -lwasi-emulated-getpid")

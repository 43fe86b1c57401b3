# A toolchain for Debian's cross compilers, whose libraries are in a folder of their own: see ci/cross.sh.
#
#   SPARSECFG_TARGET    the machine, such as aarch64
#   SPARSECFG_SYSROOT   the folder with the packages of that machine, unpacked
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SPARSECFG_TARGET SPARSECFG_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${SPARSECFG_TARGET})
set(triple ${SPARSECFG_TARGET}-linux-gnu)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_STRIP ${triple}-strip)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${SPARSECFG_TARGET}-static)

set(CMAKE_FIND_ROOT_PATH ${SPARSECFG_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

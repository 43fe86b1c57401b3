# What CMake does not know about this system.
set(WASI 1)
set(UNIX 1)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)

#!/usr/bin/env bash
# Prints the folder with the C++ runtime and the libraries for WebAssembly. Builds it from Debian's source packages if the
# cache lacks it.
#
#   wasm_sysroot.sh            build if necessary
#   wasm_sysroot.sh --cached   fail if it would have to be built
#
# The cache is SPARSECFG_WASM_CACHE (default: ~/.cache/sparsecfg/wasm). Folders are named after a hash of all versions and
# of the files that decide the result. Debian's own libc++ for wasm32 has no exceptions, file system or threads.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
cache=${SPARSECFG_WASM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sparsecfg/wasm}
# Libraries of headers are taken from the packages of this system.
header_packages=(libcli11-dev libspdlog-dev nlohmann-json3-dev libfmt-dev libfast-float-dev)

versions=$(dpkg-query -W -f '${Package} ${Version}\n' clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32 "${header_packages[@]}")
key=$({ echo "$versions"; cat "$here/ci/wasm_sysroot.sh" && find "$here/cmake/wasm" -type f | LC_ALL=C sort | xargs cat; } | sha256sum | cut -c 1-16)
sysroot=$cache/sysroot-$key
if [ -d "$sysroot" ]; then
  echo "$sysroot"
  exit
elif [ "${1:-}" = --cached ]; then
  exit 1
fi

mkdir -p "$cache"/{sources,lists/partial,archives/partial}
work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
exec 3>&1 >&2

# apt with lists of its own, so that neither root nor a change of the system's lists is needed.
own_apt() {
  apt-get -o "Dir::Etc::sourcelist=$cache/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$cache/lists" \
    -o "Dir::Cache=$cache" -o "APT::Sandbox::User=$(id -un)" -qq "$@"
}

# Downloads a source package, unless the cache has it. A mirror can lack the newest security update.
get_source() {
  if ! compgen -G "$cache/sources/$1_*.dsc" >/dev/null; then
    (cd "$cache/sources" && { own_apt source --download-only "$1" || own_apt source --download-only "$1/bookworm"; })
  fi
}

get_sources() {
  local package lists=()
  for package in llvm-toolchain-19 libyaml pcre2 yaml-cpp libmd; do
    compgen -G "$cache/sources/${package}_*.dsc" >/dev/null || lists+=("$package")
  done
  if [ ${#lists[@]} -gt 0 ]; then
    # The repositories of this system, but their sources.
    # shellcheck disable=SC2016  # apt replaces the variables
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
      sort -u >"$cache/sources.list"
    own_apt update
    for package in "${lists[@]}"; do
      get_source "$package"
    done
  fi
}

# Debian's patches do not concern the runtime, and unpacking all of LLVM would take 2 GB.
unpack() {
  local package
  for package in libyaml pcre2 yaml-cpp libmd; do
    dpkg-source --no-check -x "$(find "$cache/sources" -name "${package}_*.dsc" | LC_ALL=C sort | tail -1)" "$work/$package" >/dev/null
  done
  mkdir "$work/llvm"
  tar -xf "$(find "$cache/sources" -name 'llvm-toolchain-19_*.orig.tar.xz')" -C "$work/llvm" --strip-components=1 --wildcards \
    --exclude '*/test/*' --exclude '*/docs/*' \
    '*/runtimes/*' '*/cmake/*' '*/libcxx/*' '*/libcxxabi/*' '*/libunwind/*' '*/llvm/utils/*'
}

# Configures and installs the sources in $1. The other arguments are passed to CMake.
install_with_cmake() {
  local source=$1
  shift
  cmake -G Ninja -S "$source" -B "$source-build" --toolchain "$here/cmake/wasm/toolchain.cmake" \
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_PREFIX="$work/sysroot" -D SPARSECFG_WASM_SYSROOT="$work/sysroot" \
    -D BUILD_SHARED_LIBS=OFF -D BUILD_TESTING=OFF "$@" >"$source.log" 2>&1 &&
    cmake --build "$source-build" --target install >>"$source.log" 2>&1 || {
    tail -n 50 "$source.log"
    return 1
  }
}

build_libc() {
  local flags=(--target=wasm32-wasi -O2 -D_WASI_EMULATED_SIGNAL -isystem "$here/cmake/wasm/include")
  mkdir -p "$work/sysroot/lib" "$work/sysroot/include"
  clang-19 "${flags[@]}" -c "$here/cmake/wasm/libc.c" -o "$work/libc.o"
  llvm-ar-19 rcs "$work/sysroot/lib/libsparsecfg-libc.a" "$work/libc.o"
}

build_runtime() {
  cp "$here/cmake/wasm/include/__external_threading" "$work/llvm/libcxx/include/"
  install_with_cmake "$work/llvm/runtimes" \
    -D SPARSECFG_WASM_BUILDS_RUNTIME=ON -D LLVM_ENABLE_RUNTIMES='libunwind;libcxxabi;libcxx' \
    -D CMAKE_C_COMPILER_WORKS=ON -D CMAKE_CXX_COMPILER_WORKS=ON \
    -D LLVM_INCLUDE_TESTS=OFF -D LLVM_INCLUDE_DOCS=OFF \
    -D LIBCXX_ABI_VERSION=1 -D LIBCXX_CXX_ABI=libcxxabi -D LIBCXX_ENABLE_SHARED=OFF -D LIBCXX_HAS_MUSL_LIBC=ON \
    -D LIBCXX_ENABLE_EXCEPTIONS=ON -D LIBCXX_ENABLE_FILESYSTEM=ON -D LIBCXX_ENABLE_MONOTONIC_CLOCK=ON \
    -D LIBCXX_ENABLE_THREADS=ON -D LIBCXX_HAS_EXTERNAL_THREAD_API=ON -D LIBCXX_HAS_ATOMIC_LIB=OFF \
    -D LIBCXX_ENABLE_TIME_ZONE_DATABASE=OFF -D LIBCXX_INCLUDE_TESTS=OFF -D LIBCXX_INCLUDE_BENCHMARKS=OFF \
    -D LIBCXX_INCLUDE_DOCS=OFF \
    -D LIBCXXABI_ENABLE_SHARED=OFF -D LIBCXXABI_ENABLE_EXCEPTIONS=ON -D LIBCXXABI_ENABLE_THREADS=ON \
    -D LIBCXXABI_HAS_EXTERNAL_THREAD_API=ON -D LIBCXXABI_SILENT_TERMINATE=ON -D LIBCXXABI_USE_LLVM_UNWINDER=ON \
    -D LIBCXXABI_INCLUDE_TESTS=OFF \
    -D LIBUNWIND_ENABLE_SHARED=OFF -D LIBUNWIND_ENABLE_THREADS=OFF -D LIBUNWIND_USE_COMPILER_RT=ON \
    -D LIBUNWIND_HIDE_SYMBOLS=OFF -D LIBUNWIND_INCLUDE_TESTS=OFF
}

build_libmd() {
  local name objects=()
  : >"$work/libmd/config.h" # would be written by its configure script
  for name in md5 md5hl sha2 sha256hl; do
    clang-19 --target=wasm32-wasi -O2 -w -D HAVE_UNISTD_H -D lint -D _GNU_SOURCE -I "$work/libmd" -I "$work/libmd/include" -I "$work/libmd/src" \
      -c "$work/libmd/src/$name.c" -o "$work/$name.o"
    objects+=("$work/$name.o")
  done
  llvm-ar-19 rcs "$work/sysroot/lib/libmd.a" "${objects[@]}"
  cp "$work"/libmd/include/{md5,sha2}.h "$work/sysroot/include/"
}

build_libraries() {
  install_with_cmake "$work/libyaml"
  install_with_cmake "$work/pcre2" -D PCRE2_BUILD_PCRE2GREP=OFF -D PCRE2_BUILD_TESTS=OFF -D PCRE2_SUPPORT_UNICODE=ON
  install_with_cmake "$work/yaml-cpp" -D YAML_CPP_BUILD_TESTS=OFF -D YAML_CPP_BUILD_TOOLS=OFF -D YAML_CPP_BUILD_CONTRIB=OFF
  build_libmd
  local header
  for header in CLI/CLI.hpp spdlog/spdlog.h nlohmann/json.hpp fmt/core.h fast_float/fast_float.h; do
    cp -rL "$(dirname "$(dpkg -L "${header_packages[@]}" | grep "/$header$")")" "$work/sysroot/include/"
  done
}

get_sources
unpack
build_libc
build_runtime
build_libraries
echo "$versions" >"$work/sysroot/VERSIONS"
mv -T "$work/sysroot" "$sysroot"
echo "$sysroot" >&3

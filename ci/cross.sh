#!/usr/bin/env bash
# Builds the static executable for another machine with Debian's cross compiler, and runs the golden cases under emulation.
#
#   cross.sh [MACHINE]     MACHINE: aarch64 (default)
#
# Needs g++-aarch64-linux-gnu and qemu-user-static; as root it adds the machine to dpkg's architectures, which lets apt
# download that machine's packages. They are unpacked below build/, and nothing of them is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

machine=${1:-aarch64}
case $machine in
  aarch64) architecture=arm64 ;;
  *)
    echo "no Debian architecture is known for $machine" >&2
    exit 2
    ;;
esac
build=build/$machine
sysroot=$PWD/build/$machine-packages

if ! dpkg --print-foreign-architectures | grep -qx "$architecture"; then
  dpkg --add-architecture "$architecture"
  apt-get update
fi
if [ ! -d "$sysroot/usr/include" ]; then
  rm -rf "$sysroot"
  mkdir -p "$sysroot"
  # Packages of headers are the same for all machines.
  mapfile -t packages < <(sed '/^# Tests/,$d; s/#.*//' packages.txt | grep -E '^lib|-dev' | tr -d ' ')
  wanted=()
  for package in "${packages[@]}" catch2; do
    if apt-get download --print-uris "$package:$architecture" >/dev/null 2>&1; then
      wanted+=("$package:$architecture")
    else
      wanted+=("$package")
    fi
  done
  (cd "$sysroot" && apt-get download "${wanted[@]}")
  for file in "$sysroot"/*.deb; do
    dpkg -x "$file" "$sysroot"
  done
fi

# The CMake packages of {fmt} and spdlog want the shared libraries of packages that are not unpacked; their headers are enough.
cmake -S . -B "$build" -G Ninja --toolchain cmake/cross.cmake -D SPARSECFG_TARGET="$machine" -D SPARSECFG_SYSROOT="$sysroot" \
  -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_FLAGS_RELEASE='-O2 -DNDEBUG' -D SPARSECFG_STATIC=ON \
  -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON -D CMAKE_DISABLE_FIND_PACKAGE_spdlog=ON
cmake --build "$build" --target sparsecfg reference_pages golden
"qemu-$machine-static" "$build/sparsecfg" validate testdata/validate/sparseml/prune-and-quantize.yaml
"qemu-$machine-static" "$build/tests/golden/golden"

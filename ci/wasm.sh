#!/usr/bin/env bash
# Builds build/wasm/sparsecfg.wasm with WASI preview 1, from a bare Debian 12 or with the cached runtime.
#
#   wasm.sh               install missing packages (as root or with sudo), build runtime and module
#   wasm.sh --if-cached   build only if packages and runtime exist; otherwise say that the build was skipped
#
# The runtime and the libraries are cached: see ci/wasm_sysroot.sh. They take about 3 minutes of processor time, and the
# module about 9.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(clang-19 lld-19 llvm-19 libclang-rt-19-dev-wasm32 wasi-libc libfast-float-dev cmake ninja-build dpkg-dev g++ python3 xz-utils
  libcli11-dev libspdlog-dev nlohmann-json3-dev libfmt-dev ca-certificates)
if ! dpkg -s "${packages[@]}" >/dev/null 2>&1; then
  if [ "${1:-}" = --if-cached ]; then
    echo "skipped: the WebAssembly build; its packages are not installed (ci/wasm.sh installs them)"
    exit 0
  fi
  $(command -v sudo) apt-get update
  $(command -v sudo) apt-get install -y --no-install-recommends "${packages[@]}"
fi
if [ "${1:-}" = --if-cached ] && ! ci/wasm_sysroot.sh --cached >/dev/null; then
  echo "skipped: the WebAssembly build; its runtime is not cached (ci/wasm.sh builds it)"
  exit 0
fi
SPARSECFG_WASM_SYSROOT=$(ci/wasm_sysroot.sh)
export SPARSECFG_WASM_SYSROOT
cmake --preset wasm
cmake --build --preset wasm --target sparsecfg
llvm-strip-19 build/wasm/sparsecfg.wasm
ls -l build/wasm/sparsecfg.wasm

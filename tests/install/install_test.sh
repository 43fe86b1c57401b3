#!/usr/bin/env bash
# Installs the build into a folder of its own and builds a program of another project against it.
#
#   install_test.sh <build folder> <root of the project> <C++ compiler>
set -euo pipefail
build=$1
project=$2
compiler=$3

# shellcheck source=tests/scratch.sh
source "$project/tests/scratch.sh"

cmake --install "$build" --prefix "$work/prefix" >"$work/log" || fail "the install"
for file in bin/sparsecfg include/sparsecfg/sparsecfg.h share/man/man1/sparsecfg.1 \
  share/man/man7/sparsecfg-diagnostics.7; do
  test -s "$work/prefix/$file" || fail "$file is not installed"
done

cp -r "$project/tests/install/consumer" "$work/consumer"
cmake -S "$work/consumer" -B "$work/consumer/build" -D CMAKE_PREFIX_PATH="$work/prefix" -D CMAKE_CXX_COMPILER="$compiler" \
  -D CMAKE_CXX_COMPILER_LAUNCHER= >"$work/log" 2>&1 || fail "the consumer is not configured"
cmake --build "$work/consumer/build" >"$work/log" 2>&1 || fail "the consumer is not built"
"$work/consumer/build/consumer" >"$work/out"
grep -q '^4: SP105 ' "$work/out" || { cat "$work/out"; fail "the consumer finds nothing"; }

if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name sparsecfg.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046  # one word for each flag
  "$compiler" -std=c++20 "$work/consumer/consumer.cpp" -o "$work/plain" $(pkg-config --cflags --libs --static sparsecfg) ||
    fail "pkg-config's flags"
  LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$work/plain" | cmp - "$work/out" || fail "the program built with pkg-config's flags"
fi
echo "passed"

#!/usr/bin/env bash
# Builds everything with another compiler, warnings being errors, and passes the golden and unit tests.
#
#   compiler.sh COMPILER [PACKAGE]     such as: compiler.sh clang++-19 clang-19
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 1 ]; then
  # shellcheck disable=SC2046  # one word for each package
  apt-get install -y --no-install-recommends "$2" $(sed 's/#.*//' packages.txt)
fi
build=build/$1
case $1 in
  clang*) c_compiler=${1/++/} ;;
  *) c_compiler=${1/g++/gcc} ;;
esac
cmake -S . -B "$build" -G Ninja -D CMAKE_CXX_COMPILER="$1" -D CMAKE_C_COMPILER="$c_compiler" -D CMAKE_BUILD_TYPE=Debug \
  -D CMAKE_COMPILE_WARNING_AS_ERROR=ON -D SPARSECFG_BATCH=12
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure -j 2 -L 'golden|unit'

#!/usr/bin/env bash
# Checks the layout of the sources, the shell scripts and, by clang-tidy, the sources that changed since the last tag.
#
#   lint.sh [--all]     --all: clang-tidy on every source, which takes an hour
#
# Without a tag, clang-tidy reads a fixed sample.
set -euo pipefail
cd "$(dirname "$0")/.."

# Releases of clang-format differ in what they print, so the layout is that of one release.
release=14
clang_format=$(command -v clang-format-$release || command -v clang-format || true)
if [ -n "$clang_format" ] && "$clang_format" --version | grep -q "version $release\."; then
  git ls-files -z -- '*.cpp' '*.h' ':!testdata' | xargs -0 "$clang_format" --dry-run --Werror
  echo "clang-format: passed"
else
  echo "clang-format: skipped, version $release is not installed"
fi

mapfile -t scripts < <(git ls-files -- '*.sh' .ci/run)
if command -v shellcheck >/dev/null; then
  shellcheck -x --severity=warning "${scripts[@]}"
  echo "shellcheck: passed, ${#scripts[@]} scripts"
else
  echo "shellcheck: skipped, not installed"
fi

if ! command -v clang-tidy >/dev/null; then
  echo "clang-tidy: skipped, not installed"
  exit 0
fi
if [ "${1:-}" = --all ]; then
  mapfile -t sources < <(git ls-files -- 'lib/*.cpp' 'cmd/*.cpp' ':!lib/platform/wasi')
elif tag=$(git describe --tags --abbrev=0 2>/dev/null); then
  mapfile -t sources < <(git diff --name-only --diff-filter=d "$tag" -- 'lib/*.cpp' 'cmd/*.cpp' ':!lib/platform/wasi' | head -n 20)
else
  sources=(lib/compile/compile.cpp lib/convert/convert.cpp lib/timeline/evaluator.cpp lib/check/epochs.cpp)
fi
# The build compiles sources in batches, so its list of commands has no flags for a single one.
generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
c++ -std=c++20 -Ilib -o "$generated/declare_rules" tools/declare_rules.cpp
"$generated/declare_rules" lib "$generated" ai8x autoround checkpoint compressed_tensors distiller gguf gptqmodel llmcompressor mlx modelopt nni quantizers schemes selected sparseml torchao
flags=(-std=c++20 -Ilib -I"$generated" -Iinclude -I. -DSPARSECFG_VERSION='"0"' -DSPDLOG_HEADER_ONLY -DSPDLOG_FMT_EXTERNAL)
if [ "${#sources[@]}" -gt 0 ]; then
  printf '%s\0' "${sources[@]}" | xargs -0 -P 2 -I '{}' clang-tidy --quiet '{}' -- "${flags[@]}"
fi
echo "clang-tidy: passed, ${#sources[@]} sources"

#!/usr/bin/env bash
# Packs the npm package with build/wasm/sparsecfg.wasm into dist/ and tests it. Needs node 20 or later and npm.
#
#   npm.sh              pack and test
#   npm.sh --if-built   say that it was skipped if the module or node is missing
#   npm.sh --launcher   also run each golden case in a process of its own, which takes minutes
set -euo pipefail
cd "$(dirname "$0")/.."

module=build/wasm/sparsecfg.wasm
if [ "${1:-}" = --if-built ] && { [ ! -f "$module" ] || ! command -v npm >/dev/null; }; then
  echo "skipped: the npm package; ci/wasm.sh builds its module, and it needs node"
  exit 0
fi

version=$(sed -n 's/^project(sparsecfg VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
for place in npm/package.json package.json; do
  grep -q "\"version\": \"$version\"" "$place" || { echo "$place does not state version $version" >&2; exit 1; }
done
grep -q "\"sparsecfg@$version\"" .pre-commit-hooks.yaml || { echo ".pre-commit-hooks.yaml does not name sparsecfg@$version" >&2; exit 1; }

cp "$module" LICENSE npm/
(cd npm && npm test --silent)
node npm/test/golden.mjs
if [ "${1:-}" = --launcher ]; then
  node npm/test/golden.mjs --launcher
fi
mkdir -p dist
npm pack --silent --pack-destination dist ./npm >/dev/null
tests/npm.sh "dist/sparsecfg-$version.tgz"
cp "$module" "dist/sparsecfg-$version.wasm"
(cd dist && sha256sum "sparsecfg-$version.tgz" "sparsecfg-$version.wasm" >SHA256SUMS-npm)

#!/usr/bin/env bash
# Bundles the playground: static files that any web server can publish. Needs node 20 or later with npm.
#
#   playground.sh WASM OUTDIR           WASM: sparsecfg.wasm, as built by ci/wasm.sh
#   playground.sh --test WASM OUTDIR    also runs its tests in headless Chromium (CHROMIUM: the program)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
test=
if [ "${1:-}" = --test ]; then
  test=1
  shift
fi
wasm=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")

cd "$root/playground"
# npm ci removes and installs everything, so it only runs after a change.
if ! cmp -s package-lock.json node_modules/.sparsecfg-lock; then
  npm ci --no-fund --no-audit
  cp package-lock.json node_modules/.sparsecfg-lock
fi
node build.mjs "$out"
cp "$wasm" "$out/sparsecfg.wasm"
echo "$out: $(du -sk "$out" | cut -f 1) kB, of which the module $(du -k "$out/sparsecfg.wasm" | cut -f 1) kB"
if [ -n "$test" ]; then
  PLAYGROUND=$out node --test --test-reporter spec test/*.test.mjs
fi

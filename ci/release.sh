#!/usr/bin/env bash
# Builds what a release publishes for one machine into dist/: an archive of the static executable with its manual pages and
# completions, a wheel, a Debian package, and their checksums.
#
#   release.sh [MACHINE]     MACHINE: this one (default), or one that ci/cross.sh knows
set -euo pipefail
cd "$(dirname "$0")/.."

machine=${1:-$(uname -m)}
if [ "$machine" = "$(uname -m)" ]; then
  build=build/release
  cmake --workflow --preset release
else
  build=build/$machine
  ci/cross.sh "$machine"
fi

version=$(sed -n 's/^project(sparsecfg VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=sparsecfg-$version-linux-$machine
stage=$PWD/build/stage/$name
rm -rf "$stage"
mkdir -p dist
cmake --install "$build" --prefix "$stage" --strip --component Unspecified
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" -C "$(dirname "$stage")" -czf "dist/$name.tar.gz" "$name"

SPARSECFG_EXECUTABLE=$stage/bin/sparsecfg PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 python3 -c \
  'import build_wheel; print("dist/" + build_wheel.build_wheel("dist"))'
(cd "$build" && cpack --config CPackConfig.cmake -B "$PWD/package")
cp "$build"/package/*.deb dist/
(cd dist && sha256sum -- *"$machine"* *.deb | sort -u -k 2 >"SHA256SUMS-$machine")
cat "dist/SHA256SUMS-$machine"

#!/usr/bin/env bash
# Makes the Debian package of build/release and checks it: lintian reports no error, the notice of each library is in it,
# and a program of another project can use the installed library.
set -euo pipefail
cd "$(dirname "$0")/../build/release"

rm -rf package
cpack --config CPackConfig.cmake -B "$PWD/package" >/dev/null
lintian --fail-on error,warning package/*.deb
dpkg -c package/*.deb >package/files
for library in libyaml libyaml-cpp libpcre2 libmd libfmt libc6 libstdc++; do
  grep -q "doc/sparsecfg/libraries/$library" package/files || { echo "the package has no notice of $library" >&2; exit 1; }
done
../../tests/install/install_test.sh "$PWD" "$PWD/../.." c++  # with the static library, which the tests do not install
echo "package: passed"

#!/usr/bin/env bash
# Builds the wheel without any index, installs it into a new virtual environment, uses and removes it. The program just
# built is put into it, which saves building it again.
#
#   package_test.sh <sparsecfg> <root of the project>
set -euo pipefail
program=$1
project=$2

# shellcheck source=tests/scratch.sh
source "$project/tests/scratch.sh"
if ! /usr/bin/python3 -m venv "$work/venv" >"$work/log" 2>&1; then
  echo "skipped: python3-venv is not installed (apt-get install -y python3-venv)"
  exit 77
fi
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CACHE_DIR="$work/cache"

mkdir "$work/source"
cp -r "$project/pyproject.toml" "$project/python" "$project/README.md" "$project/LICENSE" "$project/CMakeLists.txt" "$work/source"
if PYTHONDONTWRITEBYTECODE=1 SPARSECFG_EXECUTABLE=$work/none /usr/bin/python3 -c "import sys; sys.path.insert(0, '$project/python'); import build_wheel; build_wheel.build_wheel('$work')" 2>"$work/log"; then
  fail "SPARSECFG_EXECUTABLE names no file"
fi
[ "$(wc -l <"$work/log")" -eq 1 ] || fail "a wrong SPARSECFG_EXECUTABLE is reported in one line"
SPARSECFG_EXECUTABLE=$program "$work/venv/bin/pip" wheel --no-deps -w "$work/wheels" "$work/source" >"$work/log" 2>&1 || fail "pip wheel"
# A wheel may be called manylinux only if its program needs no library of the system.
system=linux
if ! readelf --program-headers "$program" | grep -q INTERP; then
  system=manylinux_2_17
fi
ls "$work"/wheels/sparsecfg-*-py3-none-${system}_*.whl >"$work/log" 2>&1 || fail "the name of the wheel"
printf 'int main(void) { return 0; }\n' | cc -static -x c - -o "$work/static" >"$work/log" 2>&1 || fail "a static program"
PYTHONPATH=$project/python PYTHONDONTWRITEBYTECODE=1 SPARSECFG_EXECUTABLE=$work/static "$work/venv/bin/python" -c \
  'import sys, build_wheel; print(build_wheel.build_wheel(sys.argv[1]))' "$work/wheels" >"$work/log" 2>&1 || fail "a static wheel"
grep -q 'py3-none-manylinux_2_17_' "$work/log" || fail "the name of a static wheel"
SPARSECFG_EXECUTABLE=$program "$work/venv/bin/pip" install "$work/source" >"$work/log" 2>&1 || fail "pip install ."
"$work/venv/bin/sparsecfg" --version >"$work/log" || fail "the executable"
cd "$work" && "$work/venv/bin/python" "$project/tests/python/use_module.py" "$project/testdata" >"$work/log" 2>&1 || fail "the module"
if command -v mypy >/dev/null; then
  (cd "$project" && mypy --cache-dir "$work/mypy") >"$work/log" 2>&1 || fail "mypy"
fi
"$work/venv/bin/pip" uninstall --yes sparsecfg >"$work/log" 2>&1 || fail "pip uninstall"
test ! -e "$work/venv/bin/sparsecfg" || fail "the executable is left"
echo passed

#!/usr/bin/env bash
# Publishes the files of a release with the section of CHANGELOG.md as its text.
#
#   publish.sh TAG FOLDER              with the host's command `gh`
#   publish.sh --notes TAG             only prints the text
set -euo pipefail
cd "$(dirname "$0")/.."

# The section of a version, without its heading. A tag without a section is an error.
notes() {
  awk -v heading="## [${1#v}]" 'index($0, heading) == 1 { inside = 1; next } /^## \[/ { inside = 0 } inside' CHANGELOG.md | grep . ||
    { echo "CHANGELOG.md has no section for $1" >&2; return 1; }
}

if [ "$1" = --notes ]; then
  notes "$2"
  exit
fi
stated=$(sed -n 's/^project(sparsecfg VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
if [ "v$stated" != "$1" ]; then
  echo "the tag is $1, but CMakeLists.txt states version $stated" >&2
  exit 1
fi
notes "$1" >"$2/notes.md"
(cd "$2" && sha256sum --check --quiet SHA256SUMS-*)
gh release create "$1" --verify-tag --title "sparsecfg $1" --notes-file "$2/notes.md" "$2"/*.tar.gz "$2"/*.whl "$2"/*.deb "$2"/*.tgz "$2"/*.wasm "$2"/SHA256SUMS-*

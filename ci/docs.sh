#!/usr/bin/env bash
# Builds the documentation site and checks its links.
#
#   docs.sh BINARY OUTDIR [PLAYGROUND]   BINARY: a built sparsecfg; the site is OUTDIR/site
#
# PLAYGROUND is the output of ci/playground.sh. Without it, the site has no playground and no links to it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
binary=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")

rm -rf "$out/source" "$out/site"
/usr/bin/env python3 "$root/ci/docs_pages.py" "$binary" "$root" "$out/source" "${@:3}"
mkdocs build --quiet --strict --config-file "$out/source/mkdocs.yml" --site-dir "$out/site" 2>"$out/log" || { cat "$out/log"; exit 1; }
# Later versions of mkdocs warn without failing.
if grep -E '^(WARNING|ERROR)' "$out/log"; then
  exit 1
fi
/usr/bin/env python3 "$root/ci/docs_links.py" "$out/site"

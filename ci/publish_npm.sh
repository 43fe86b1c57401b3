#!/usr/bin/env bash
# Publishes the npm package of a release with its provenance.
#
#   publish_npm.sh TAG FOLDER              FOLDER holds what ci/npm.sh packed
#   publish_npm.sh --dry-run TAG FOLDER    only prints what would be published
set -euo pipefail

options=(--provenance --access public)
if [ "$1" = --dry-run ]; then
  options=(--dry-run --access public)
  shift
fi
package=$2/sparsecfg-${1#v}.tgz
if [ ! -f "$package" ]; then
  echo "$package does not exist" >&2
  exit 1
fi
(cd "$2" && sha256sum --check --quiet SHA256SUMS-npm)
npm publish "${options[@]}" "$(readlink -f "$package")" # npm would read a relative path as a repository

#!/usr/bin/env bash
# The steps of action.yml, which a test runs too.
#
#   action.sh install     installs sparsecfg unless it is there
#   action.sh check       annotates, and writes the summary and SARIF that the inputs ask for
set -euo pipefail

install() {
  if command -v sparsecfg >/dev/null; then
    return
  fi
  root=$(cd "$(dirname "$0")/.." && pwd)
  # shellcheck disable=SC2046  # one word for each package
  sudo apt-get update && sudo apt-get install -y --no-install-recommends $(sed '/^# Tests/,$d; s/#.*//' "$root/packages.txt")
  pip install "$root"
}

# A picture can't stand in a summary of its own, so it stands there as data.
draw_timeline() {
  local picture
  picture=$(sparsecfg timeline --format svg "$INPUT_TIMELINE" | base64 | tr -d '\n')
  printf '### %s\n\n<img alt="timeline" src="data:image/svg+xml;base64,%s">\n\n' "$INPUT_TIMELINE" "$picture"
  printf '```\n%s\n```\n' "$(sparsecfg timeline --summary "$INPUT_TIMELINE")"
}

# The revision to compare with; nothing outside of pull requests, unless the input names one.
base_of_changes() {
  if test "${INPUT_BASE:-}" = none; then
    return
  elif test -n "${INPUT_BASE:-}"; then
    echo "$INPUT_BASE"
  elif test -n "${GITHUB_BASE_REF:-}" && git fetch --quiet --depth=1 origin "$GITHUB_BASE_REF"; then
    git rev-parse FETCH_HEAD
  fi
}

# What changes in effect in each recipe that was changed. What is no recipe, or has errors, is left out.
compare_recipes() {
  local base=$1 file table status
  # shellcheck disable=SC2086  # one word for each path
  git diff --name-only --relative --diff-filter=M "$base" -- ${INPUT_PATHS:-.} | grep -E '\.(ya?ml|md|json)$' | while IFS= read -r file; do
    status=0
    table=$(sparsecfg diff --format markdown "$base" "$file" 2>/dev/null) || status=$?
    test "$status" -gt 1 || printf '%s\n\n' "$table"
  done
}

check() {
  local status=0 base
  # shellcheck disable=SC2086  # one word for each path and option
  if test "${INPUT_SARIF:-false}" = true; then
    sparsecfg validate --exit-zero --format sarif -o sparsecfg.sarif ${INPUT_OPTIONS:-} -- ${INPUT_PATHS:-.} || true
  fi
  # shellcheck disable=SC2086
  sparsecfg validate ${INPUT_OPTIONS:-} -- ${INPUT_PATHS:-.} || status=$?
  if test -n "${INPUT_TIMELINE:-}" && test -n "${GITHUB_STEP_SUMMARY:-}"; then
    draw_timeline >>"$GITHUB_STEP_SUMMARY"
  fi
  if test -n "${GITHUB_STEP_SUMMARY:-}" && base=$(base_of_changes) && test -n "$base"; then
    compare_recipes "$base" >>"$GITHUB_STEP_SUMMARY" || true
  fi
  return $status
}

"$1"

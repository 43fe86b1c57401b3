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

check() {
  local status=0
  # shellcheck disable=SC2086  # one word for each path and option
  if test "${INPUT_SARIF:-false}" = true; then
    sparsecfg validate --exit-zero --format sarif -o sparsecfg.sarif ${INPUT_OPTIONS:-} -- ${INPUT_PATHS:-.} || true
  fi
  # shellcheck disable=SC2086
  sparsecfg validate ${INPUT_OPTIONS:-} -- ${INPUT_PATHS:-.} || status=$?
  if test -n "${INPUT_TIMELINE:-}" && test -n "${GITHUB_STEP_SUMMARY:-}"; then
    draw_timeline >>"$GITHUB_STEP_SUMMARY"
  fi
  return $status
}

"$1"

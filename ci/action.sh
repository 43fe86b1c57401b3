#!/usr/bin/env bash
# The steps of action.yml, which a test runs too.
#
#   action.sh install     installs sparsecfg unless it is there
#   action.sh check       annotates, and writes the summary and SARIF that the inputs ask for
set -euo pipefail

# Into a virtual environment, since the system's Python refuses packages that are not its own.
install() {
  if command -v sparsecfg >/dev/null; then
    return
  fi
  local root environment=$RUNNER_TEMP/sparsecfg sudo
  root=$(cd "$(dirname "$0")/.." && pwd)
  sudo=$(command -v sudo || true)
  # shellcheck disable=SC2046,SC2086  # one word for each package; none for `sudo` where there is none
  $sudo apt-get update && $sudo apt-get install -y --no-install-recommends python3-venv $(sed '/^# Tests/,$d; s/#.*//' "$root/packages.txt")
  python3 -m venv "$environment"
  "$environment/bin/pip" install "$root"
  echo "$environment/bin" >>"$GITHUB_PATH"
}

# The sparsity of each pruning action over the epochs as a chart of Mermaid, which GitHub draws; it shows no images that
# are part of the text. Fifty places, evenly apart.
draw_timeline() {
  printf '### Timeline of %s\n\n' "$INPUT_TIMELINE"
  sparsecfg timeline --every-step --format csv "$INPUT_TIMELINE" | awk -F, '
    NR == 1 { count = NF; for (at = 4; at <= NF; at++) name[at] = $at; next }
    { rows++; for (at = 2; at <= count; at++) cell[rows, at] = $at }
    END {
      if (count < 4 || rows < 2) { print "No pruning."; exit }
      last = rows < 50 ? rows : 50
      print "```mermaid\nxychart-beta\n  x-axis \"epoch\" " cell[1, 2] " --> " cell[rows, 2] "\n  y-axis \"sparsity\" 0 --> 1"
      for (at = 4; at <= count; at++) {
        line = ""
        for (point = 0; point < last; point++) {
          value = cell[1 + int(point * (rows - 1) / (last - 1)), at]
          line = line (point > 0 ? ", " : "") (value ~ /^[0-9]/ ? value : 0)
        }
        print "  line [" line "]"
      }
      print "```\n"
      for (at = 4; at <= count; at++) print "- line " at - 3 ": `" name[at] "`"
    }'
  printf '\n```\n%s\n```\n' "$(sparsecfg timeline --summary "$INPUT_TIMELINE")"
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
    sparsecfg validate ${INPUT_OPTIONS:-} --exit-zero --format sarif --force -o sparsecfg.sarif -- ${INPUT_PATHS:-.} || true
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

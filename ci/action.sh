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
  if test -x "$environment/bin/sparsecfg"; then # of the cache
    echo "$environment/bin" >>"$GITHUB_PATH"
    return
  fi
  root=$(cd "$(dirname "$0")/.." && pwd)
  sudo=$(command -v sudo || true)
  # shellcheck disable=SC2046,SC2086  # one word for each package; none for `sudo` where there is none
  $sudo apt-get update && $sudo apt-get install -y --no-install-recommends python3-venv $(sed '/^# Tests/,$d; s/#.*//' "$root/packages.txt")
  python3 -m venv "$environment"
  "$environment/bin/pip" install "$root"
  echo "$environment/bin" >>"$GITHUB_PATH"
}

# A longer run takes minutes and says no more.
max_steps=1000000

# The sparsity of each pruning action over the epochs as a chart of Mermaid, which GitHub draws; it shows no images that
# are part of the text. Fifty places, evenly apart, and twenty actions, so that the memory does not grow with the run.
# The header is CSV with quotes. Names of a stranger's recipe must not end the code span.
draw_chart() {
  sparsecfg timeline --every-step --format csv -- "$INPUT_TIMELINE" 2>/dev/null | awk -F, -v steps="$1" '
    BEGIN { point = 0 }
    function names_of(line,   count, field) {
      while (line != "") {
        if (match(line, /^"([^"]|"")*"/)) {
          field = substr(line, 2, RLENGTH - 2)
          gsub(/""/, "\"", field)
        } else {
          match(line, /^[^,]*/)
          field = substr(line, 1, RLENGTH)
        }
        line = substr(line, RLENGTH + 2)
        gsub(/`/, "\047", field)
        name[++count] = field
      }
      return count
    }
    NR == 1 { count = names_of($0); last = steps < 49 ? steps + 1 : 50; next }
    point < last && NR - 2 >= int(point * steps / (last - 1)) {
      for (at = 2; at <= NF && at < 24; at++) cell[point, at] = $at
      point++
    }
    END {
      if (count < 4 || point < 2) { print "No pruning."; exit }
      print "```mermaid\nxychart-beta\n  x-axis \"epoch\" " cell[0, 2] " --> " cell[point - 1, 2] "\n  y-axis \"sparsity\" 0 --> 1"
      for (at = 4; at <= count && at < 24; at++) {
        line = ""
        for (each = 0; each < point; each++) line = line (each > 0 ? ", " : "") (cell[each, at] ~ /^[0-9]/ ? cell[each, at] : 0)
        print "  line [" line "]"
      }
      print "```\n"
      for (at = 4; at <= count && at < 24; at++) print "- line " at - 3 ": `" name[at] "`"
      if (count >= 24) print "- " count - 23 " more"
    }'
}

# A fence of a stranger's recipe must not end the code block.
draw_timeline() {
  local steps
  printf '### Timeline of %s\n\n' "$INPUT_TIMELINE"
  steps=$(sparsecfg timeline --summary --format json -- "$INPUT_TIMELINE" 2>/dev/null | awk -F '[ :,]+' '$2 == "\"steps\"" { print $3 }')
  if test -z "$steps"; then
    printf 'No steps.\n'
  elif test "$steps" -gt "$max_steps"; then
    printf 'The run has %s steps. A chart is drawn of at most %s.\n' "$steps" "$max_steps"
  else
    draw_chart "$steps"
  fi
  printf '\n```\n%s\n```\n' "$(sparsecfg timeline --summary -- "$INPUT_TIMELINE" | sed 's/```/` ` `/g')"
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

# What changes in effect in each recipe. What has errors, or is no recipe, is left out.
compare_recipes() {
  local path table
  # shellcheck disable=SC2086  # one word for each path
  for path in ${INPUT_PATHS:-.}; do
    table=$(sparsecfg diff --format markdown -- "$1" "$path" 2>/dev/null) || true
    test -z "$table" || printf '%s\n\n' "$table"
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

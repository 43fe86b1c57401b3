#!/usr/bin/env bash
# Runs the steps of action.yml with the environment that GitHub gives them.
#
#   action_test.sh <sparsecfg> <root of the project>
set -euo pipefail
program=$1
project=$2

# shellcheck source=tests/scratch.sh
source "$project/tests/scratch.sh"
mkdir "$work/bin" "$work/temp" "$work/repository"
: >"$work/path"
export GITHUB_ACTIONS=true GITHUB_PATH="$work/path" GITHUB_STEP_SUMMARY="$work/summary.md" RUNNER_TEMP="$work/temp" HOME="$work"
cd "$work/repository"
mkdir .git recipes
cp "$project/testdata/validate/sparseml/prune-and-quantize.yaml" recipes/clean.yaml
printf 'steps-per-epoch: 10\n' >.sparsecfg.yaml
action() {
  /usr/bin/python3 "$project/tests/python/composite.py" "$project" "$@" >"$work/log" 2>&1
}

# Nothing is installed here: what would install packages only says so, and the wheel takes the program just built.
printf '#!/bin/sh\necho "apt-get $*"\n' >"$work/bin/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/apt-get" "$work/bin/sudo"
if /usr/bin/python3 -c 'import ensurepip' 2>/dev/null; then
  PATH="$work/bin:/usr/bin:/bin" SPARSECFG_EXECUTABLE=$program PIP_NO_INDEX=1 action paths=recipes timeline=recipes/clean.yaml || fail "a machine without sparsecfg"
  grep -q 'apt-get install .*libyaml-dev' "$work/log" || fail "the packages"
  test -x "$(cat "$work/path")/sparsecfg" && test -s "$work/summary.md" || fail "the installed program"
  : >"$work/path"
  : >"$work/summary.md"
fi

ln -s "$program" "$work/bin/sparsecfg"
export PATH="$work/bin:$PATH"
action paths=recipes timeline=recipes/clean.yaml || fail "a clean recipe"
grep -q '^uses github/codeql-action' "$work/log" && fail "SARIF is uploaded though nobody asked"
grep -q '^xychart-beta$' "$work/summary.md" || fail "no picture in the summary"
test "$(grep -c '^  line \[' "$work/summary.md")" = 2 || fail "not a line for each pruning action"
grep -q '0\.8' "$work/summary.md" || fail "the sparsity is not in the summary"
if git --version >/dev/null 2>&1; then
  rmdir .git && git init -q && git add recipes && git -c user.name=x -c user.email=x@x commit -qm first
  sed -i 's/final_sparsity: .*/final_sparsity: 0.7/' recipes/clean.yaml && : >"$work/summary.md"
  action paths=recipes base=HEAD || fail "a changed recipe"
  grep -q 'HEAD:recipes/clean.yaml' "$work/summary.md" || fail "no comparison in the summary"
  : >"$work/summary.md" && action paths=recipes base=none || fail "a base that is not there"
  test ! -s "$work/summary.md" || fail "a comparison that was not asked for"
  git checkout -q recipes
fi
sed 's/final_sparsity:/final_sparsty:/' recipes/clean.yaml >recipes/broken.yaml
if action paths=recipes options='--select SP1' sarif=true; then
  fail "a broken recipe passes"
fi
grep -q '^::error title=sparsecfg SP105,file=recipes/broken.yaml,line=' "$work/log" || fail "no annotation"
grep -q '^uses github/codeql-action/upload-sarif@.* sarif_file=sparsecfg.sarif' "$work/log" || fail "SARIF is not uploaded"
grep -q '"ruleId": "SP105"' sparsecfg.sarif || fail "no SARIF"
echo passed

#!/usr/bin/env bash
# Runs the steps of action.yml with the environment that GitHub gives them.
#
#   action_test.sh <sparsecfg> <root of the project>
set -euo pipefail
program=$1
project=$2

# shellcheck source=tests/scratch.sh
source "$project/tests/scratch.sh"
mkdir "$work/bin" "$work/repository"
ln -s "$program" "$work/bin/sparsecfg"
export PATH="$work/bin:$PATH" GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$work/summary.md" HOME="$work"
cd "$work/repository"
mkdir .git recipes
cp "$project/testdata/validate/sparseml/prune-and-quantize.yaml" recipes/clean.yaml
printf 'steps-per-epoch: 10\n' >.sparsecfg.yaml

"$project/ci/action.sh" install >"$work/log" 2>&1 || fail "install, though sparsecfg is there"
INPUT_PATHS=recipes INPUT_TIMELINE=recipes/clean.yaml "$project/ci/action.sh" check >"$work/log" 2>&1 || fail "a clean recipe"
grep -q 'data:image/svg+xml;base64,' "$work/summary.md" || fail "no picture in the summary"
if git --version >/dev/null 2>&1; then
  rmdir .git && git init -q && git add recipes && git -c user.name=x -c user.email=x@x commit -qm first
  sed -i 's/final_sparsity: .*/final_sparsity: 0.7/' recipes/clean.yaml && : >"$work/summary.md"
  INPUT_PATHS=recipes INPUT_BASE=HEAD "$project/ci/action.sh" check >"$work/log" 2>&1 || fail "a changed recipe"
  grep -q 'HEAD:recipes/clean.yaml' "$work/summary.md" || fail "no comparison in the summary"
  : >"$work/summary.md" && INPUT_PATHS=recipes INPUT_BASE=none "$project/ci/action.sh" check >"$work/log" 2>&1
  test ! -s "$work/summary.md" || fail "a comparison that was not asked for"
  git checkout -q recipes
fi
sed 's/final_sparsity:/final_sparsty:/' recipes/clean.yaml >recipes/broken.yaml
if INPUT_PATHS=recipes INPUT_OPTIONS='--select SP1' INPUT_SARIF=true "$project/ci/action.sh" check >"$work/log" 2>&1; then
  fail "a broken recipe passes"
fi
grep -q '^::error title=sparsecfg SP105,file=recipes/broken.yaml,line=' "$work/log" || fail "no annotation"
grep -q '"ruleId": "SP105"' sparsecfg.sarif || fail "no SARIF"
echo passed

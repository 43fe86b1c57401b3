#!/usr/bin/env bash
# The steps of action.yml in the repository of a stranger, with the program just built.
#
#   action_test.sh <sparsecfg> <root of the project>
set -euo pipefail
program=$1
project=$2

if ! command -v git >/dev/null; then
  echo "skipped: git is not installed"
  exit 77
fi

# shellcheck source=tests/scratch.sh
source "$project/tests/scratch.sh"
for variable in $(compgen -e GIT_) $(compgen -e INPUT_); do unset "$variable"; done
export HOME="$work" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@localhost
export GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@localhost GITHUB_STEP_SUMMARY="$work/summary"
mkdir "$work/bin" "$work/repository"
ln -s "$program" "$work/bin/sparsecfg"
PATH=$work/bin:$PATH

cd "$work/repository"
git init --quiet .
recipe() {
  printf 'modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: %s.0\n- !GMPruningModifier\n' "$1"
  printf '  params: [fc.weight]\n  init_sparsity: 0.05\n  final_sparsity: 0.%s\n  start_epoch: 0.0\n' "$2"
  printf '  end_epoch: 8.0\n  update_frequency: 0.5\n'
}
names=(é.yaml ./-x.yaml 'a b.yaml' 'quote".yaml' plain.yaml)
for name in "${names[@]}"; do recipe 20 8 >"$name"; done
printf 'services: []\n' >other.yaml
oneshot() {
  printf 'from llmcompressor import oneshot\nfrom llmcompressor.modifiers.quantization import QuantizationModifier\n'
  printf 'oneshot(model="m", recipe=QuantizationModifier(targets="Linear", scheme="%s", ignore=["lm_head"]))\n' "$1"
}
oneshot W8A16 >train.py
printf 'SCHEME = "W8A16"\n' >presets.py
{ printf 'from presets import SCHEME\n' && oneshot W8A16 | sed 's/"W8A16"/SCHEME/'; } >uses_presets.py
git add -A . && git commit --quiet -m first
oneshot FP8_DYNAMIC >train.py
printf 'SCHEME = "W4A16"\n' >presets.py
for name in "${names[@]}"; do recipe 20 9 >"$name"; done
recipe 20 8 >"$work/outside.yaml"
ln -sf ../outside.yaml other.yaml

# Every changed recipe is compared, whatever its name, and no link.
INPUT_BASE=HEAD bash "$project/ci/action.sh" check >"$work/log" 2>&1 || fail "the check fails"
for name in "${names[@]}"; do
  grep -qF "**${name#./}**" "$GITHUB_STEP_SUMMARY" || grep -qF "**${name}**" "$GITHUB_STEP_SUMMARY" || fail "$name is not compared"
done
grep -q 'outside\|other' "$GITHUB_STEP_SUMMARY" && fail "a link is compared"
grep -qF '**train.py**' "$GITHUB_STEP_SUMMARY" || fail "a script is not compared"

grep -q 'changed$' "$GITHUB_STEP_SUMMARY" || fail "the summary of the comparison"
grep -qF '**uses_presets.py**' "$GITHUB_STEP_SUMMARY" || fail "a script is not compared whose module changes"
grep -qF '**presets.py**' "$GITHUB_STEP_SUMMARY" && fail "a module without a recipe is compared"

# A program of the cache is used, and nothing is installed.
mkdir -p "$work/temp/sparsecfg/bin"
ln -s "$program" "$work/temp/sparsecfg/bin/sparsecfg"
PATH=${PATH#"$work/bin:"} RUNNER_TEMP="$work/temp" GITHUB_PATH="$work/path" bash "$project/ci/action.sh" install ||
  fail "the install fails"
grep -qxF "$work/temp/sparsecfg/bin" "$work/path" || fail "the program of the cache is not used"

# A chart of fifty points, which begins and ends with the run.
rm "$GITHUB_STEP_SUMMARY"
printf 'steps-per-epoch: 10\n' >.sparsecfg.yaml
INPUT_BASE=none INPUT_TIMELINE=-x.yaml bash "$project/ci/action.sh" check >"$work/log" 2>&1 || fail "the check fails"
grep -q 'x-axis "epoch" 0.0 --> 20.0' "$GITHUB_STEP_SUMMARY" || fail "the axis of the chart"
test "$(grep -o 'line \[.*\]' "$GITHUB_STEP_SUMMARY" | tr -cd , | wc -c)" = 49 || fail "the points of the chart"
grep -q '^- line 1: `GMPruningModifier#2`$' "$GITHUB_STEP_SUMMARY" || fail "the legend of the chart"

# A run of a billion steps takes no time and no memory.
rm "$GITHUB_STEP_SUMMARY"
recipe 1000000 9 >plain.yaml
printf 'steps-per-epoch: 1000000\n' >.sparsecfg.yaml
INPUT_PATHS=plain.yaml INPUT_BASE=none INPUT_TIMELINE=plain.yaml timeout 60 bash "$project/ci/action.sh" check >"$work/log" 2>&1 || fail "the check of a long run fails"
grep -q 'at most 1000000' "$GITHUB_STEP_SUMMARY" || fail "a chart of a long run"
echo "passed"

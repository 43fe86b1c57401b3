#!/usr/bin/env bash
# The hooks of .pre-commit-hooks.yaml in a repository of their own, found by `repo` and `rev` in a clone of this project,
# with the program just built, which saves building it again.
#
#   hook_test.sh <sparsecfg> <root of the project>
set -euo pipefail
program=$1
project=$2

if ! command -v pre-commit >/dev/null || ! command -v git >/dev/null; then
  echo "skipped: pre-commit is not installed (apt-get install -y pre-commit)"
  exit 77
fi

# shellcheck source=tests/scratch.sh
source "$project/tests/scratch.sh"
mkdir "$work/home" "$work/clone" "$work/repository"
export SPARSECFG_EXECUTABLE="$program"
# Neither the user's settings nor a repository that this test runs in may be seen.
for variable in $(compgen -e GIT_); do unset "$variable"; done
export HOME="$work/home" PRE_COMMIT_HOME="$work/home/pre-commit" PRE_COMMIT_COLOR=never
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@localhost
export GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@localhost

# Commits all that there is; what the hook says goes into $work/log.
commit() {
  git add . && git commit --quiet --message "$1" >"$work/log" 2>&1
}

# What a clone of the project holds of the Python package.
cp -r "$project/pyproject.toml" "$project/python" "$project/README.md" "$project/LICENSE" "$project/CMakeLists.txt" \
  "$project/.pre-commit-hooks.yaml" "$work/clone"
git -C "$work/clone" init --quiet
git -C "$work/clone" add . && git -C "$work/clone" commit --quiet -m release && git -C "$work/clone" tag v1

cd "$work/repository"
git init --quiet .
printf 'repos:\n- repo: %s\n  rev: v1\n  hooks: [{id: sparsecfg}, {id: sparsecfg-fix}, {id: sparsecfg-format}]\n' "$work/clone" >.pre-commit-config.yaml
pre-commit install >"$work/log" 2>&1 || fail "the hook can't be installed"

cp "$project/testdata/validate/sparseml/prune-and-quantize.yaml" recipe.yaml
commit "a clean recipe" || fail "a clean recipe stops the commit"
grep -q 'sparsecfg.*Passed' "$work/log" || fail "the hook did not run on a recipe"

printf 'services:\n- image: nginx\n  exclude: [tests]\n' >services.yaml
printf '# About\n\nNothing to train.\n' >README.md
printf '{"name": "page", "version": "1.0.0"}\n' >package.json
printf 'policies:\n- name: retention\n  days: 30\n' >policies.yaml
commit "files that are no recipes" || fail "a file that is no recipe stops the commit"

sed 's/final_sparsity:/final_sparsty:/' recipe.yaml >broken.yaml
if commit "a broken recipe"; then
  fail "a broken recipe is committed"
fi
grep -q 'error\[SP105\].*`final_sparsty`' "$work/log" || fail "the diagnostic is not shown"
grep -q 'broken.yaml:[0-9]' "$work/log" || fail "the place is not shown"

git rm --quiet --cached --force broken.yaml && rm broken.yaml

printf 'config_list = [{"op_types": ["Linear"], "sparse_ratoi": 0.8}]\n' >prune.py
if commit "a broken list in a script"; then
  fail "a broken list in a script is committed"
fi
grep -q 'prune.py:1' "$work/log" || fail "the place in the script is not shown"
sed -i 's/ratoi/ratio/' prune.py

sed 's/init_sparsity: 0.05/init_sparsity: 0/' recipe.yaml >broken.yaml
if commit "a recipe that can be fixed"; then
  fail "a fix is made without a word"
fi
cmp -s broken.yaml <(sed 's/init_sparsity: 0.05/init_sparsity: 0.0/' recipe.yaml) || fail "the recipe is not fixed"
git rm --quiet --cached --force broken.yaml && rm broken.yaml

sed 's/^    /        /' recipe.yaml >wide.yaml
if commit "a recipe that is not formatted"; then
  fail "a recipe is formatted without a word"
fi
grep -q 'sparsecfg normalize.*Failed' "$work/log" || fail "the formatter did not run"
cmp -s wide.yaml <("$program" normalize recipe.yaml) || fail "the recipe is not formatted"
commit "a formatted recipe" || fail "a formatted recipe stops the commit"
git rm --quiet --cached --force wide.yaml && rm wide.yaml

# The project's settings name the parameters of two models, so that no hook needs an option.
mkdir bert
printf 'sections.0.0.conv1.weight\n' >one.txt
printf 'encoder.weight\n' >bert/two.txt
printf 'params: one.txt\nper-file:\n  bert/*.yaml: {params: bert/two.txt}\nignore: SP\n' >.sparsecfg.yaml
git rm --quiet --cached recipe.yaml && rm recipe.yaml
printf 'modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 3.0\n- !ConstantPruningModifier\n  start_epoch: 0.0\n  end_epoch: 3.0\n  params: [sections.0.0.conv1.weight]\n' >one.yaml
sed 's/sections.0.0.conv1.weight/encoder.weight/' one.yaml >bert/two.yaml
commit "recipes of two models" || fail "recipes of two models stop the commit"
cp one.yaml bert/three.yaml
if commit "a selector that matches nothing"; then
  fail "a selector that matches nothing is committed"
fi
grep -q 'error\[MD901\]' "$work/log" && grep -q 'bert/three.yaml:[0-9]' "$work/log" || fail "the selector is not found"
grep -q ' one.yaml:[0-9]' "$work/log" && fail "the wrong file is reported"
git rm --quiet --cached --force bert/three.yaml && rm bert/three.yaml

test "$(git rev-list --count HEAD)" = 4 || fail "there should be four commits"
echo "passed"

#!/usr/bin/env bash
# The hook of .pre-commit-hooks.yaml in a repository of its own, with the program just built.
#
#   hook_test.sh <sparsecfg> <root of the project>
set -euo pipefail
program=$1
project=$2

if ! command -v pre-commit >/dev/null || ! command -v git >/dev/null; then
  echo "skipped: pre-commit is not installed (apt-get install -y pre-commit)"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home" "$work/repository"
ln -s "$program" "$work/bin/sparsecfg"
# Neither the user's settings nor a repository that this test runs in may be seen.
for variable in $(compgen -e GIT_); do unset "$variable"; done
export PATH="$work/bin:$PATH" HOME="$work/home" PRE_COMMIT_HOME="$work/home/pre-commit" PRE_COMMIT_COLOR=never
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@localhost
export GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@localhost

fail() {
  echo "failed: $1"
  cat "$work/log"
  exit 1
}

# Commits all that there is; what the hook says goes into $work/log.
commit() {
  git add . && git commit --quiet --message "$1" >"$work/log" 2>&1
}

cd "$work/repository"
git init --quiet .
{
  printf 'repos:\n- repo: local\n  hooks:\n'
  sed 's/^/  /' "$project/.pre-commit-hooks.yaml"
} >.pre-commit-config.yaml
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

sed 's/init_sparsity: 0.05/init_sparsity: 0/' recipe.yaml >broken.yaml
if commit "a recipe that can be fixed"; then
  fail "a fix is made without a word"
fi
cmp -s broken.yaml <(sed 's/init_sparsity: 0.05/init_sparsity: 0.0/' recipe.yaml) || fail "the recipe is not fixed"
git rm --quiet --cached --force broken.yaml && rm broken.yaml

test "$(git rev-list --count HEAD)" = 2 || fail "there should be two commits"
echo "passed"

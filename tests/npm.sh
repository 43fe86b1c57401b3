#!/usr/bin/env bash
# Installs a packed npm package as users do, and runs the command line, the API, the language server and the hook.
#
#   npm.sh TARBALL
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
tarball=$(readlink -f "$1")

# shellcheck source=tests/scratch.sh
source "$project/tests/scratch.sh"
mkdir "$work/project" "$work/home"
export HOME="$work/home" npm_config_cache="$work/home/npm" npm_config_update_notifier=false
cd "$work/project"
echo '{"name": "project", "private": true, "type": "module"}' >package.json
npm install --silent --no-audit --no-fund "$tarball" || fail "the package cannot be installed"

# --- command line ---
cp "$project/testdata/validate/sparseml/prune-and-quantize.yaml" recipe.yaml
npx sparsecfg validate recipe.yaml >"$work/log" 2>&1 || fail "a clean recipe has errors"
sed 's/final_sparsity:/final_sparsty:/' recipe.yaml >broken.yaml
if npx sparsecfg validate broken.yaml >"$work/log" 2>&1; then fail "a broken recipe has no errors"; fi
grep -q 'broken.yaml:29:5' "$work/log" || fail "the place is not shown"

sed 's/init_sparsity: 0.05/init_sparsity: 0/' recipe.yaml >fixed.yaml
chmod 640 fixed.yaml
npx sparsecfg validate --fix fixed.yaml >"$work/log" 2>&1 || fail "a fix is not applied"
cmp -s fixed.yaml <(sed 's/init_sparsity: 0.05/init_sparsity: 0.0/' recipe.yaml) || fail "the recipe is not fixed in place"
mkdir folder
(cd folder && npx sparsecfg validate ../recipe.yaml "$work/project/recipe.yaml" - <../recipe.yaml >"$work/log" 2>&1) ||
  fail "paths above the folder, absolute paths or standard input do not work"
npx sparsecfg convert recipe.yaml --to distiller --steps-per-epoch 10 --allow-loss -o new.yaml >"$work/log" 2>&1 || fail "no conversion"
grep -q '^version: 1' new.yaml || fail "the output file is empty"
npx sparsecfg diff HEAD~1 recipe.yaml >"$work/log" 2>&1 && fail "a revision is read without git"
grep -q 'cannot run git' "$work/log" || fail "the message does not name git"

# A parent may share a pipe that does not block. Input that comes late is waited for.
python3 - recipe.yaml >"$work/log" 2>&1 <<'END' || fail "a pipe that does not block is not read to its end"
import os, subprocess, sys, time
reading, writing = os.pipe()
os.set_blocking(reading, False)
process = subprocess.Popen(["node_modules/.bin/sparsecfg", "validate", "-"], stdin=reading)
time.sleep(1)
os.write(writing, open(sys.argv[1], "rb").read())
os.close(writing)
sys.exit(process.wait())
END

# --- API ---
cat >api.mjs <<'END'
import {readFileSync} from 'node:fs';
import {convert, format, timeline, validate} from 'sparsecfg';
const text = readFileSync('broken.yaml', 'utf8');
const {findings} = validate(text);
if (findings.filter(({code}) => code === 'SP105').length !== 2) throw new Error('findings');
const good = readFileSync('recipe.yaml', 'utf8');
if (format(good).length < 100 || !timeline(good, {stepsPerEpoch: 10})) throw new Error('format or timeline');
if (!convert(good, {to: 'ir', stepsPerEpoch: 10}).text) throw new Error('convert');
END
node api.mjs || fail "the API does not work"

# --- language server ---
"$project/tests/lsp/session.py" node_modules/.bin/sparsecfg || fail "the language server does not work"

# --- hook ---
if ! command -v pre-commit >/dev/null || ! command -v git >/dev/null; then
  echo "skipped: the hook, because pre-commit is not installed"
  exit 0
fi
for variable in $(compgen -e GIT_); do unset "$variable"; done
export PRE_COMMIT_HOME="$work/home/pre-commit" PRE_COMMIT_COLOR=never GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@localhost
mkdir "$work/clone" "$work/repository"
cp "$project/package.json" "$project/.pre-commit-hooks.yaml" "$work/clone"
git -C "$work/clone" init --quiet
git -C "$work/clone" add . && git -C "$work/clone" commit --quiet -m release && git -C "$work/clone" tag v1
cd "$work/repository"
git init --quiet .
printf 'repos:\n- repo: %s\n  rev: v1\n  hooks: [{id: sparsecfg-npm, additional_dependencies: ["%s"]}]\n' "$work/clone" "$tarball" >.pre-commit-config.yaml
cp "$work/project/recipe.yaml" .
git add .
pre-commit run --all-files >"$work/log" 2>&1 || { cat "$work/log"; fail "the hook reports errors of a clean recipe"; }
grep -q 'sparsecfg.*Passed' "$work/log" || fail "the hook did not run"
cp "$work/project/broken.yaml" .
git add .
if pre-commit run --all-files >"$work/log" 2>&1; then fail "the hook accepts a broken recipe"; fi
grep -q 'error\[SP105\].*`final_sparsty`' "$work/log" || fail "the hook does not show the finding"
echo "passed"

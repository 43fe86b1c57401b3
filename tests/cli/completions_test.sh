#!/usr/bin/env bash
# What the completions offer in bash, and in zsh and fish where they are installed.
#
#   completions_test.sh <sparsecfg> <root of the project>
set -euo pipefail
program=$1
project=$2

# shellcheck source=tests/scratch.sh
source "$project/tests/scratch.sh"
mkdir "$work/bin" "$work/here"
ln -s "$program" "$work/bin/sparsecfg"
export PATH="$work/bin:$PATH" HOME="$work"
cd "$work/here"
touch recipe.yaml
: >"$work/log"

# Each prints what the words of a command line may go on with, the last of which is to be completed.
in_bash() {
  bash --norc -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sparsecfg; printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$project/completions/sparsecfg.bash" "$@"
}
in_fish() {
  fish --no-config -c 'source $argv[1]; complete -C "$argv[2]"' "$project/completions/sparsecfg.fish" "$*" | cut -f1
}
in_zsh() {
  timeout 60 /usr/bin/python3 "$project/tests/cli/zsh_completions.py" "$project/completions" "$*"
}

# offers <word> <command line...>: the word is among what the shell under test offers.
offers() {
  local word=$1
  shift
  "in_$shell" "$@" >"$work/log" 2>&1 || fail "$shell: $*"
  grep -qxF -- "$word" "$work/log" || fail "$shell: \`$*\` does not offer $word"
}
lacks() {
  local word=$1
  shift
  "in_$shell" "$@" >"$work/log" 2>&1 || true
  ! grep -qxF -- "$word" "$work/log" || fail "$shell: \`$*\` offers $word"
}

for shell in bash zsh fish; do
  if ! command -v $shell >/dev/null; then
    echo "$shell is not installed"
    continue
  fi
  offers validate sparsecfg va
  offers sarif sparsecfg validate --format ''
  offers llm-compressor sparsecfg validate --from l
  offers llm-compressor sparsecfg convert recipe.yaml --to ''
  offers SP105 sparsecfg validate --ignore SP1
  offers unknown-field sparsecfg explain unknown
  offers GMPruningModifier sparsecfg explain GM
  offers llm-compressor sparsecfg schema ''
  offers --steps-per-epoch sparsecfg timeline --st
  offers timeline sparsecfg help ti
  offers recipe.yaml sparsecfg validate rec
  # The first option of a command, and aliases.
  offers --format sparsecfg validate --form
  offers --force sparsecfg validate --for
  offers check sparsecfg che
  offers --format sparsecfg check --form
  offers --unsafe-fixes sparsecfg fix --unsa
  offers SP105 sparsecfg rule SP1
  lacks --steps-per-epoch sparsecfg schema --st
  lacks recipe.yaml sparsecfg schema ''
done
echo passed

#!/usr/bin/env bash
# Exit statuses and streams of the finished program: what only a process of its own shows.
#
#   cli_test.sh <sparsecfg> <root of the project> [--update]
#
# --update records what `--help` prints in testdata/help.
set -uo pipefail
sparsecfg=$1
project=$2
update=${3:-}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR COLUMNS FORCE_COLOR CLICOLOR_FORCE GITHUB_ACTIONS
export HOME=$work/home
failures=0

fail() {
  echo "failed: $1"
  head -n 20 out err
  failures=$((failures + 1))
}

# run <exit status> <arguments>: both streams are kept in the files out and err.
run() {
  local expected=$1
  shift
  "$sparsecfg" "$@" >out 2>err </dev/null
  local status=$?
  last="sparsecfg $*"
  test $status = "$expected" || fail "$last: exit status $status, expected $expected"
}

# What the last run printed.
silent() { test ! -s "$1" || fail "$last: something on std$1"; }
prints() { grep -qF -- "$2" "$1" || fail "$last: no \"$2\" on std$1"; }
lacks() { ! grep -qF -- "$2" "$1" || fail "$last: \"$2\" on std$1"; }

# json <expression>: the output is JSON, and the expression holds of it.
json() {
  python3 -c 'import json, sys; out = json.load(open("out", encoding="utf-8")); sys.exit(not eval(sys.argv[1]))' "$1" 2>>err ||
    fail "$last: not so in the JSON: $1"
}

cp "$project/testdata/validate/sparseml/prune-and-quantize.yaml" clean.yaml
sed 's/final_sparsity:/final_sparsty:/' clean.yaml >broken.yaml
printf 'services:\n- image: nginx\n  exclude: [tests]\n' >services.yaml
printf 'pruners:\n  p: {class: SensitivityPruner, sensitivities: {fc.weight: 0.5}}\npolicies:\n- pruner: {instance_name: p}\n  epochs: [0]\n' >distiller.yaml
printf -- '- op_types: [Conv2d]\n  sparse_ratio: 0.5\n' >nni.yaml
printf 'config_list = [{"op_types": ["Conv2d"], "sparse_ratio": 0.5}]\n' >nni.py
printf 'print("nothing to prune")\n' >script.py
printf '# About\n\nNothing to train.\n' >about.md
printf '[unclosed\n' >unclosed.yaml
{ echo '---'; cat clean.yaml; echo '---'; echo; echo '# A model'; } >card.md

# --- the program itself
run 0 --help && prints out Commands: && silent err
run 0 help && prints out Commands: && silent err
run 0 help timeline && prints out --every-step && silent err
run 0 --version && prints out 'sparsecfg ' && prints out 'SparseML' && silent err
run 0 version && prints out 'sparsecfg ' && silent err
head -n 1 out | grep -Eq '^sparsecfg [0-9]+\.[0-9]+\.[0-9]+( \(([0-9a-f]{7,40} )?[0-9-]{10}\))?$' || fail "$last: the first line"
run 0 -V && prints out 'sparsecfg ' && silent err
run 2 && silent out && prints err Commands:
run 2 nonsense && silent out
run 2 --nonsense && silent out

# --- validate: statuses, and where things are printed
run 0 validate clean.yaml && prints out 'no errors' && silent err
run 1 validate broken.yaml && prints out 'error[SP105]' && silent err
run 1 validate clean.yaml broken.yaml && prints out '2 files checked'
run 2 validate missing.yaml && prints err 'missing.yaml: no such file' && prints out '0 files checked, 1 failed' && lacks out errors
run 2 validate clean.yaml missing.yaml && prints out '1 file checked, 1 failed: 0 errors, 0 warnings'
run 2 validate broken.yaml missing.yaml && prints out 'error[SP105]' && prints err 'no such file'
run 2 validate --nonsense clean.yaml && silent out
run 2 validate --format xml clean.yaml && silent out
run 2 validate --from latin clean.yaml && silent out
run 2 validate --set novalue clean.yaml && silent out && prints err NAME=VALUE
run 2 validate --params missing.txt clean.yaml && silent out && prints err missing.txt
run 0 validate --verbose clean.yaml clean.yaml && prints out 'not checked' && prints err 'sparsecfg: 2 files read'

# --- names and options that users of similar programs write
run 0 check clean.yaml && prints out 'no errors'
run 1 lint --output-format concise broken.yaml && prints out ': error: '
run 0 rule SP105 && prints out unknown-field
run 0 help help && prints out Commands:
run 0 help check && prints out 'Usage: sparsecfg validate'
cp broken.yaml alias.yaml
run 1 fix alias.yaml && prints out '0 findings fixed'
run 0 fix --unsafe-fixes alias.yaml && prints out 'fixed alias.yaml:' && cmp -s alias.yaml clean.yaml || fail "$last: not fixed"
sed 's/: /:   /' clean.yaml >alias.yaml
run 1 format --check alias.yaml && prints err 'not formatted'
run 0 format alias.yaml && prints err '1 file formatted' && run 0 format --check alias.yaml
run 0 timeline --steps-per-epoch 4 --output-format csv clean.yaml && prints out 'step,epoch,lr,'
run 0 -v validate clean.yaml && prints out 'not checked'

# --- validate: values of variables
printf 'num_epochs: 10\nmodifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: eval(num_epochs)\n' >variable.yaml
run 0 convert --to ir --set num_epochs=20 variable.yaml && json 'out["actions"] and "20" in open("out").read()'
run 0 convert --to ir --set num_epochs=18446744073709551615 variable.yaml && lacks out ': -1' && prints out 1844674407370955
run 0 convert --to ir --set num_epochs=9223372036854775808 variable.yaml && prints out 922337203685477
run 2 validate variable.yaml --set "x=$(python3 -c 'print("[" * 60000 + "]" * 60000)')" && silent out && prints err 'nested more than 128 levels deep' && test "$(wc -c <err)" -lt 200

# --- validate: many files, on all cores, in order; a failure of a worker is one of the program
mkdir -p many
for number in $(seq 100 139); do cp clean.yaml many/$number.yaml; done
sed 's/final_sparsity:/final_sparsty:/' clean.yaml >many/120.yaml
run 1 validate --format json many && json '[file["path"] for file in out["files"]] == [f"many/{at}.yaml" for at in range(100, 140)] and len(out["files"][20]["diagnostics"]) > 0'
run 2 validate many missing.yaml && prints err 'missing.yaml: no such file' && prints out '40 files checked'
run 2 validate - - && silent out && prints err 'only once'
python3 - <<'PYTHON'
import os
os.makedirs("big", exist_ok=True)
for at in range(18):
    with open(f"big/{at}.yaml", "w") as file:
        file.write("modifiers:\n" + "- !EpochRangeModifier {start_epoch: 0.0, end_epoch: 1.0}\n" * (2500 if at % 2 else 1))
PYTHON
last='validate without memory'
if (ulimit -v 4000000 && "$sparsecfg" --version) >out 2>err; then # what is built with sanitizers needs terabytes of addresses
  (ulimit -v 60000 && "$sparsecfg" validate big/*.yaml >out 2>err)
  status=$?
  case $status in 0 | 1 | 70) ;; *) fail "$last: exit status $status" ;; esac
fi

# --- validate: formats and where reports go
run 1 validate --format concise broken.yaml && prints out 'broken.yaml:' && prints out ': error: ' && prints out ' [SP105 unknown-field]' && silent err
run 1 validate --format github broken.yaml && prints out '::error title=sparsecfg SP105,file=broken.yaml,line='
run 1 validate --format json-lines broken.yaml && test "$(head -n 1 out | cut -c 1-22)" = '{"path":"broken.yaml",' || fail "$last: no line of JSON"
GITHUB_ACTIONS=true run 1 validate broken.yaml && prints out '::error title=sparsecfg SP105'
GITHUB_ACTIONS=true run 1 validate --format text broken.yaml && prints out 'error[SP105]'
GITHUB_ACTIONS=true run 2 validate missing.yaml && prints out '::error title=sparsecfg,file=missing.yaml::no such file'
run 1 validate --format sarif -o report.sarif broken.yaml && silent out && grep -q '"ruleId": "SP105"' report.sarif || fail "$last: no report"
run 1 validate -o - broken.yaml && prints out 'error[SP105]'
run 1 validate --output=report.txt --color always broken.yaml && ! grep -q "$(printf '\033')" report.txt || fail "$last: colours in a file"
run 2 validate -o missing/report.txt clean.yaml && prints err 'missing/report.txt: no such file'
run 0 validate --exit-zero broken.yaml && prints out 'error[SP105]'
run 2 validate --exit-zero missing.yaml
run 0 validate --fail-on never broken.yaml && prints out 'error[SP105]'
run 1 validate --statistics broken.yaml && prints out '2  error    SP105  unknown-field  (2 fixable with --unsafe-fixes)' && lacks out 'checked' && lacks out SP506
run 1 validate --statistics --verbose broken.yaml && prints out '1  info     SP506'
run 0 validate -q clean.yaml && silent out && silent err
run 1 -q validate broken.yaml && prints out 'error[SP105]' && lacks out checked

# --- validate: JSON in every case, with the same statuses
run 0 validate --format json clean.yaml && json 'out["summary"]["files"] == 1 and out["summary"]["errors"] == 0 and out["tool"]["name"] == "sparsecfg"'
run 1 validate --format json broken.yaml && json 'out["files"][0]["dialect"] == "sparseml" and out["summary"]["errors"] > 0'
run 2 validate --format json missing.yaml && json 'out["files"] == [] and out["failures"] == [{"path": "missing.yaml", "reason": "no such file"}]' && prints err 'no such file'
run 2 validate --format json broken.yaml missing.yaml && json 'out["summary"]["files"] == 1'
run 2 validate --format json --params missing.txt clean.yaml && json 'out["files"] == []'
printf 'build/\n' >.gitignore && mkdir -p build && cp broken.yaml build
run 0 validate --ignore SP --format json build && json 'len(out["files"]) == 1'
rm -r build .gitignore
run 1 validate --format json services.yaml && json 'out["files"][0]["dialect"] is None'
run 0 validate --format json --skip-unknown services.yaml && json 'out["files"] == []'

# --- validate: files that are no recipes, and those of other frameworks
run 1 validate services.yaml && prints out 'error[SP021]'
run 1 validate script.py && prints out 'error[SP021]'
run 1 validate --from nni script.py && prints out 'error[SP033]'
run 1 validate about.md && prints out 'error[SP028]'
run 1 validate unclosed.yaml && prints out 'error[SP001]'
for file in distiller.yaml nni.yaml nni.py; do
  run 0 validate "$file" && prints out 'no errors'
  run 0 validate --format json "$file" && json "out['files'][0]['dialect'] == '${file%.*}'"
done
printf 'op_types = make()\n' >words.py
run 1 validate words.py && prints out 'error[SP033]'
run 0 validate --skip-unknown services.yaml script.py words.py about.md unclosed.yaml && prints out '0 files checked'
run 1 validate --skip-unknown services.yaml broken.yaml && prints out '1 file checked' && prints out 'error[SP105]'

# --- validate: what counts
printf 'modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 3.0\n- !SetLearningRateModifier\n  start_epoch: 1.0\n  end_epoch: 2.0\n  learning_rate: 0.1\n' >warned.yaml
run 0 validate warned.yaml && prints out 'warning[SP210]'
run 1 validate --fail-on warning warned.yaml
run 0 validate --ignore SP2 --fail-on warning warned.yaml && prints out 'no errors'
run 0 validate --select SP1,MD warned.yaml && prints out 'no errors'
run 1 validate --severity SP210=error warned.yaml && prints out 'error[SP210]'
run 0 validate --severity end-epoch-ignored=info warned.yaml && lacks out 'SP210]'
run 2 validate --ignore SP9999 warned.yaml && silent out && prints err 'SP9999: unknown rule'
run 2 validate --severity SP210=loud warned.yaml && silent out && prints err 'CODE=error'
run 2 validate --fail-on loud warned.yaml
mkdir -p settled/below
cp warned.yaml settled/below
printf 'severity: {SP210: error}\nignore: SP506\n' >settled/.sparsecfg.yaml
run 1 validate settled/below/warned.yaml && prints out 'error[SP210]'
run 0 validate --severity SP210=warning settled/below/warned.yaml
printf 'fail_on: warning\n' >settled/below/.sparsecfg.yaml
run 2 validate settled/below/warned.yaml && prints err 'did you mean `fail-on`?'
printf 'fail-on: warning\n' >settled/below/.sparsecfg.yaml
run 1 validate settled/below/warned.yaml && prints out 'warning[SP210]'

mkdir -p project/bert project/old project/.git project/above
printf 'a.weight\nb.weight\n' >project/one.txt
printf 'encoder.weight\n' >project/bert/two.txt
printf 'modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 3.0\n- !ConstantPruningModifier\n  start_epoch: 0.0\n  end_epoch: 3.0\n  params: [a.weight]\n' >project/one.yaml
cp project/one.yaml project/bert/two.yaml
cp broken.yaml project/old
printf 'params: one.txt\nexclude: old/\nignore: SP506\nper-file:\n  bert/*: {params: bert/two.txt}\n' >project/.sparsecfg.yaml
run 1 validate --format concise project && prints out 'bert/two.yaml' && prints out '[MD901 ' && lacks out project/one.yaml && lacks out old/
run 1 validate --format concise --skip-unknown project/one.yaml project/bert/two.yaml project/old/broken.yaml && prints out two.yaml && lacks out broken
run 1 validate --format concise project/old/broken.yaml && prints out SP105
run 1 validate --verbose project && prints err 'project/.sparsecfg.yaml and the command line exclude'
run 0 timeline --verbose --steps-per-epoch 2 project/one.yaml && prints err 'using settings from'
run 0 validate --params project/bert/two.txt --ignore MD project/bert/two.yaml
printf 'fail-on: nothing\n' >.sparsecfg.yaml
run 1 validate project/bert/two.yaml && lacks err 'nothing'
rm .sparsecfg.yaml
printf 'param: one.txt\n' >project/above/.sparsecfg.yaml
cp clean.yaml project/above
run 2 validate project/above && prints err 'error: unknown setting `param`; did you mean `params`?' && prints err '1 | param: one.txt'
# What settings name is a file of names in the project, and nothing of another file is shown.
printf 'password = hunter2\n' >secret.txt && cp secret.txt project/key.txt && cp project/one.txt project/.one.txt
ln -s ../secret.txt project/link.txt && truncate -s 10G project/sparse.txt
for name in ../../secret.txt ../link.txt ../key.txt ../.one.txt /dev/stdin /dev/fd/0 /dev/zero ../sparse.txt ..; do
  printf 'params: %s\n' "$name" >project/above/.sparsecfg.yaml
  run 2 validate project/above && lacks err hunter2 && silent out
done
printf 'params: ../one.txt\n' >project/above/.sparsecfg.yaml
run 0 validate --ignore MD project/above
rm project/sparse.txt project/link.txt project/key.txt project/.one.txt
printf 'params: gone.txt\n' >project/above/.sparsecfg.yaml
run 2 validate project/above && prints err 'gone.txt: no such file'
if test "$(id -u)" = 0; then
  printf 'ignore: SP\n' >project/above/.sparsecfg.yaml
  chown 12345 project/above/.sparsecfg.yaml && chmod 666 project/above/.sparsecfg.yaml
  run 2 validate project/above && prints err 'owned by another user'
  chmod 644 project/above/.sparsecfg.yaml
  run 0 validate project/above
fi

# Classes of a project, and recipes that scripts name.
mkdir -p forked/.git
printf 'modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 3.0\n- !OwnConstantPruningModifier\n  start_epoch: 1.0\n  end_epoch: 3.0\n  params: [a.weight]\n  pairs: 4\n' >forked/one.yaml
run 1 validate forked/one.yaml && prints out 'unknown modifier `OwnConstantPruningModifier`' && lacks out SP715
run 0 inspect --custom forked/one.yaml && prints out '  OwnConstantPruningModifier: {like: ConstantPruningModifier, fields: any}'
"$sparsecfg" inspect --custom forked/one.yaml >forked/.sparsecfg.yaml
run 0 validate forked/one.yaml && prints out 'SP715'
printf 'custom:\n  OwnConstantPruningModifier: {like: ConstantPruningModifier, fields: {pairs: str}}\n' >forked/.sparsecfg.yaml
run 0 validate --ignore SP715 forked/one.yaml
printf 'custom:\n  OwnConstantPruningModifier: {like: ConstantPruningModifier, fields: {pair: int}}\n' >forked/.sparsecfg.yaml
run 1 validate forked/one.yaml && prints out 'unknown field `pairs` of `OwnConstantPruningModifier`'
printf 'custom:\n  OwnConstantPruningModifier:\n' >forked/.sparsecfg.yaml
run 0 validate forked/one.yaml && lacks out SP715
run 0 timeline --steps-per-epoch 1 forked/one.yaml
run 1 convert --to distiller forked/one.yaml && prints err 'OwnConstantPruningModifier'
printf 'custom: {A: {like: ConstantPruningModifer}}\n' >forked/.sparsecfg.yaml
run 2 validate forked/one.yaml && prints err 'did you mean `ConstantPruningModifier`?'
printf 'custom: {A: {fields: {a: integer}}}\n' >forked/.sparsecfg.yaml
run 2 validate forked/one.yaml && prints err 'unknown type `integer`'
cp "$project/docs/forks/alto.yaml" forked/alto.yaml && printf 'extends: alto.yaml\n' >forked/.sparsecfg.yaml
printf 'a_stage:\n  a_modifiers:\n    LowPrecisionTrainingModifier: {scheme: MXFP4, use_hadamard: true}\n    AWQModifier: {scheme: W4A16, ignore: [lm_head], sequential_granularity: block}\n' >forked/one.yaml
run 0 validate forked/one.yaml && prints out 'no errors'
printf 'a_stage:\n  a_modifiers:\n    GPTQModifier: {scheme: W4A16, ignore: [lm_head], sequential_granularty: block}\n' >forked/one.yaml
run 1 validate forked/one.yaml && prints out 'did you mean `sequential_granularity`?'
rm -r forked
mkdir scripts && printf 'from llmcompressor import oneshot\noneshot(recipe="below/one.yaml")\noneshot(recipe="../one.yaml")\noneshot(recipe="up/one.yaml")\n' >scripts/load.py
run 0 validate scripts/load.py && prints out 'the recipe file `below/one.yaml` does not exist'
mkdir scripts/below && printf 'quant_stage: {quant_modifiers: {GPTQModifier: {scheme: W4A17}}}\n' | tee scripts/below/one.yaml >one.yaml
ln -s .. scripts/up
run 1 validate --format concise scripts/load.py && prints out scripts/below/one.yaml
test "$(grep -c 'one.yaml:' out)" = "$(grep -c 'below/one.yaml:' out)" || fail "read a recipe through a link out of the folder"
rm -r scripts one.yaml

# --- validate: fixes
# same <file> <file>: neither has changed.
same() { cmp -s "$1" "$2" || fail "$last: $1 is not $2"; }
cp warned.yaml mended.yaml
chmod 640 mended.yaml
run 0 validate mended.yaml && prints out '1 fixable with --fix'
run 0 validate --diff mended.yaml && prints out '-  end_epoch: 2.0' && prints err '1 finding would be fixed' && prints err 'would fix mended.yaml:7: SP210' && same mended.yaml warned.yaml
run 1 validate --diff --exit-non-zero-on-fix mended.yaml && same mended.yaml warned.yaml
run 0 validate --show-fixes mended.yaml && prints out 'fix: sparsecfg validate --fix' && prints out '7 -   end_epoch: 2.0'
run 0 validate --no-show-fixes mended.yaml && lacks out 'fix: '
cp mended.yaml shown.yaml && run 0 validate --verbose --fix shown.yaml && prints out '-  end_epoch: 2.0' && rm shown.yaml
run 0 validate --fix --ignore SP210 mended.yaml && prints out '0 findings fixed' && same mended.yaml warned.yaml
run 0 validate --fix --diff mended.yaml && prints out '-  end_epoch: 2.0' && same mended.yaml warned.yaml
run 0 validate --fix mended.yaml && prints out '1 file checked, 1 finding fixed: no errors' && prints out 'fixed mended.yaml:7: SP210 end-epoch-ignored' && silent err
grep -v 'end_epoch: 2.0' warned.yaml >expected.yaml && same mended.yaml expected.yaml
test "$(stat -c %a mended.yaml)" = 640 || fail "$last: another mode"
run 0 validate --fix mended.yaml && prints out '0 findings fixed' && same mended.yaml expected.yaml
run 1 validate --fail-on warning warned.yaml && run 0 validate --fail-on warning --diff warned.yaml
cp broken.yaml mended.yaml
run 1 validate --fix mended.yaml && prints out '2 fixable with --unsafe-fixes' && same mended.yaml broken.yaml
run 1 validate mended.yaml && prints out '2 fixable with --fix --unsafe-fixes'
run 0 validate --fix --unsafe-fixes --format json mended.yaml && json 'out["summary"]["fixed"] == 2 and [each["code"] for each in out["fixed"]] == ["SP105"] * 2' && same mended.yaml clean.yaml
sed 's/$/\r/' warned.yaml >mended.yaml
sed 's/$/\r/' expected.yaml >expected-crlf.yaml
run 0 validate --fix mended.yaml && same mended.yaml expected-crlf.yaml
last='validate --fix -'
"$sparsecfg" validate --fix - <warned.yaml >out 2>err || fail "$last: a recipe that can be fixed"
same out expected.yaml && prints err '1 finding fixed'
"$sparsecfg" validate --fix --skip-unknown - <services.yaml >out 2>err || fail "$last: another file"
same out services.yaml
printf '\357\273\277services: []\n' >marked.yaml
cp marked.yaml unmarked.yaml
run 0 validate --fix --skip-unknown unmarked.yaml && same unmarked.yaml marked.yaml
if test "$(id -u)" != 0; then
  mkdir -p kept && cp warned.yaml kept && chmod 500 kept
  run 2 validate --fix kept/warned.yaml && prints err 'kept/warned.yaml: ' && same kept/warned.yaml warned.yaml
  chmod 700 kept
fi

# --- validate: folders
mkdir -p tree/deep/.hidden empty strangers
cp clean.yaml card.md services.yaml about.md script.py nni.py unclosed.yaml tree
cp broken.yaml tree/deep
cp broken.yaml tree/deep/.hidden
cp services.yaml words.py strangers
run 1 validate tree && prints out '4 files checked' && prints out tree/deep/broken.yaml && lacks out hidden && silent err
run 1 validate --format json tree && json '[file["path"] for file in out["files"]] == ["tree/card.md", "tree/clean.yaml", "tree/deep/broken.yaml", "tree/nni.py"]'
run 0 validate empty && prints out '0 files checked'
run 0 validate strangers && prints out '0 files checked' && silent err
run 1 validate strangers strangers/services.yaml && prints out 'error[SP021]'
mkdir -p speaking
printf 'from helpers import make_list\nconfig_list = make_list("op_types")\n' >speaking/made.py
last='a recipe in UTF-16'
mkdir -p wide && for ending in yaml YAML md; do iconv -f UTF-8 -t UTF-16 clean.yaml >wide/recipe.$ending; done
for ending in YAML Yml; do cp clean.yaml wide/loud.$ending; done
printf 'services: []\n' | iconv -f UTF-8 -t UTF-16 >wide/services.yaml
run 1 validate --format concise wide && test "$(grep -c 'SP002' out)" = 3 && lacks out services || fail "$last: not reported"
run 1 validate --format concise --skip-unknown wide/recipe.yaml && prints out SP002
run 1 validate wide && prints out '5 files checked, 1 skipped'
run 0 validate --show-files tree && prints out 'checked  tree/nni.py (nni)' && prints out 'skipped  tree/about.md: not a recipe' &&
  prints out 'skipped  tree/deep/.hidden/: hidden folder' && prints out 'skipped  tree/services.yaml: not a recipe' && lacks out error
run 2 validate --show-files tree missing.yaml && prints out 'failed   missing.yaml: no such file'
run 0 validate --skip-unknown services.yaml clean.yaml && prints out '1 file checked, 1 skipped: no errors'
run 1 validate --format json tree && json 'out["summary"]["skipped"] == 4 and {"path": "tree/about.md", "reason": "not a recipe"} in out["skipped"]'
mkdir -p unread && printf 'import os\nfrom llmcompressor import oneshot\noneshot(model="x", recipe=os.environ["R"])\n' >unread/train.py
run 0 validate unread && prints out '1 recipe not checked' && prints out 'not checked: the recipe at unread/train.py:3 is unknown'
run 0 validate speaking && prints out '0 files checked, 1 skipped: no recipes found; 1 script without a readable configuration'
run 0 validate --format json speaking && json 'out["summary"]["passed_over"] == 1'
mkdir -p ignoring/build ignoring/venv ignoring/node_modules
for folder in . build venv node_modules; do cp broken.yaml "ignoring/$folder"; done
touch ignoring/venv/pyvenv.cfg
printf 'build/\n' >ignoring/.gitignore
run 1 validate ignoring && prints out '1 file checked'
run 0 validate --show-files ignoring && prints out 'skipped  ignoring/build/: excluded by .gitignore' && prints out 'skipped  ignoring/venv/: virtual environment'
run 1 validate --no-ignore ignoring && prints out '2 files checked'
run 1 validate ignoring/build && prints out '1 file checked'
cd tree && run 1 validate && prints out ' deep/broken.yaml' && prints out '4 files checked'
cd "$work" || exit 1
if ! test -r /root; then
  mkdir locked && chmod 0 locked
  run 2 validate locked && prints err 'locked: permission denied'
  chmod 700 locked
fi

# --- init, extends, and all errors of a config file
mkdir -p fresh/ci fresh/.git && cp clean.yaml fresh
(cd fresh && "$sparsecfg" init >../out 2>../err) || fail 'init'
last=init && prints err 'wrote .sparsecfg.yaml' && prints err '1 recipe found: 1 sparseml' && silent out
grep -q '^# fail-on: warning$' fresh/.sparsecfg.yaml || fail "init: no example"
run 0 validate fresh && prints out '1 file checked: no errors'
run 2 init fresh && prints err 'already exists'
run 0 init -o - fresh && prints out '# per-file:'
run 2 init missing && prints err 'not a folder'
printf 'extends: ci/base.yaml\nignore: [SP506]\n' >fresh/.sparsecfg.yaml
printf 'severity: {SP210: error}\nexclude: [old.yaml]\n' >fresh/ci/base.yaml
cp warned.yaml fresh && cp broken.yaml fresh/old.yaml
run 1 validate fresh && prints out 'error[SP210]' && lacks out old.yaml
printf 'extends: [ci/base.yaml]\nseverity: {SP210: info}\n' >fresh/.sparsecfg.yaml
run 0 validate fresh
printf 'extends: base.yaml\n' >fresh/ci/base.yaml
run 2 validate fresh && prints err '`base.yaml` extends itself'
printf 'fail-on: loud\nignore: SP9999\n' >fresh/ci/base.yaml
run 2 validate fresh && prints err 'fresh/ci/base.yaml:1:10' && prints err 'fresh/ci/base.yaml:2:9'
for name in ../secret.yaml /etc/hostname ci/gone.yaml .hidden.yaml ci ci/secret.txt; do
  printf 'password: [hunter2\n' | tee secret.yaml >fresh/.hidden.yaml && cp secret.yaml fresh/ci/secret.txt
  printf 'extends: %s\n' "$name" >fresh/.sparsecfg.yaml
  run 2 validate fresh && lacks err hunter2 && silent out
done
if test "$(id -u)" = 0; then
  printf 'ignore: SP\n' >fresh/ci/base.yaml && chown 12345 fresh/ci/base.yaml && chmod 666 fresh/ci/base.yaml
  printf 'extends: ci/base.yaml\n' >fresh/.sparsecfg.yaml
  run 2 validate fresh && prints err 'owned by another user'
fi
printf 'fail_on: error\nignore: [SP506, SP9999]\nepochs: long\n' >fresh/.sparsecfg.yaml
run 2 validate fresh && prints err 'did you mean `fail-on`?' && prints err 'unknown rule `SP9999`' && prints err '3 | epochs: long' && silent out
run 2 normalize --check fresh/clean.yaml && prints err '3 | epochs: long'
rm -r fresh

# --- scripts: --set, and recipes that are unknown
cat >objects.py <<'PY'
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
oneshot(model="a", recipe=GPTQModifier(targets=["Linear"], scheme="W4A16", ignore=["lm_head"]), dataset="c4")
PY
for command in validate inspect; do
  run 2 $command --set scheme=W8A16 objects.py && silent out && prints err '`--set` sets variables of recipe files'
done
run 0 validate --set num_epochs=20 objects.py variable.yaml && lacks err '`--set` sets'
sed 's/GPTQModifier(.*), dataset/open("x").read(), dataset/' objects.py >unread.py
run 0 validate unread.py && prints out '1 file checked: 1 recipe not checked' && lacks out 'no errors'
tail -n 1 out | grep -qF 'not checked: the recipe at unread.py:3 is unknown' || fail "$last: the last line"
run 0 validate --format json unread.py && json 'out["files"][0]["not_checked"][0]["line"] == 3'

# --- patterns of `per-file` that match nothing
mkdir -p patterns/bert && cp clean.yaml patterns/bert
printf 'per-file:\n  bert/*.yaml: {steps-per-epoch: 100}\n  berts/*.yaml: {epochs: 3}\n' >patterns/.sparsecfg.yaml
run 0 validate patterns && prints err 'the pattern `berts/*.yaml` of `per-file` matches no file' && lacks err '`bert/'
run 0 validate patterns/bert && silent err
run 0 validate patterns/bert/clean.yaml && silent err

# --- a baseline
mkdir -p base/.git base/sub && cp broken.yaml base/sub && cp warned.yaml base
run 0 validate --baseline base/known.json --write-baseline base && prints err '3 findings written to base/known.json' && silent out
cp base/known.json whole.json
run 0 validate --baseline base/known.json --write-baseline base/warned.yaml && prints err 'written to base/known.json'
diff whole.json base/known.json || fail "$last: entries of files that were not checked"
run 0 validate --baseline base/known.json --write-baseline --select SP105 base && prints err 'written to'
test "$(grep -c fingerprint base/known.json)" = 3 || fail "$last: entries of rules that were not selected"
run 0 validate --baseline base/known.json --write-baseline base && cmp -s whole.json base/known.json || fail "$last: the order"
run 0 validate --fail-on warning --baseline base/known.json base && prints out '2 files checked, 1 skipped: no errors' && prints out '3 findings in the baseline'
(cd base/sub && "$sparsecfg" validate --baseline ../known.json >../../out 2>../../err) || fail 'a baseline from another folder'
sed -i '1i # a line above' base/sub/broken.yaml
run 0 validate --baseline base/known.json base
sed 's/init_sparsity:/init_sparsty:/' base/sub/broken.yaml >new.yaml && cp new.yaml base/sub/broken.yaml
run 1 validate --baseline base/known.json base && prints out init_sparsty && lacks out '`final_sparsty`'
cp clean.yaml base/sub/broken.yaml
run 0 validate --baseline base/known.json base && prints out '2 findings of the baseline no longer found'
printf 'baseline: known.json\n' >base/.sparsecfg.yaml
run 0 validate --fail-on warning base && prints out '1 finding in the baseline'
run 0 validate --write-baseline base && prints err '1 finding written' && run 0 validate base && lacks out 'no longer'
run 0 validate --fix base && prints out '0 findings fixed'
printf 'baseline: ../outside.json\n' >base/.sparsecfg.yaml
run 2 validate --write-baseline base && prints err 'outside of the project' && test ! -e outside.json || fail "$last: written"
run 2 validate base && prints err outside.json
rm base/.sparsecfg.yaml
run 0 validate --write-baseline base && prints err 'written to sparsecfg-baseline.json' && prints err '--baseline sparsecfg-baseline.json'
run 0 validate --baseline sparsecfg-baseline.json --fail-on warning base && prints out 'in the baseline'
# Of a renamed file, findings stay known; those of a copy are new.
cp -r base moved && mv base/*.yaml moved
run 0 validate --baseline sparsecfg-baseline.json --fail-on warning moved && prints out 'in the baseline' && lacks out 'no longer'
cp moved/*.yaml base
run 1 validate --baseline sparsecfg-baseline.json --fail-on warning base moved && prints out warning && lacks out 'no longer'
mv moved/*.yaml base && rm -r moved sparsecfg-baseline.json
run 2 validate --write-baseline --baseline clean.yaml base && prints err 'is not a baseline file'
run 2 validate --baseline clean.yaml base && prints err 'not a baseline file'
run 2 validate --model clean.yaml clean.yaml && prints err 'neither a configuration of a model nor a list of names'
run 2 validate --model google/gemma-2-9b-itt clean.yaml && prints err 'did you mean `google/gemma-2-9b-it`?'
run 2 validate --model Qwen3-8B clean.yaml && prints err 'did you mean `Qwen/Qwen3-8B`?'
run 2 validate --model Qwen/Qwen-3-8B clean.yaml && prints err 'did you mean `Qwen/Qwen3-8B`?'
run 2 validate --model Qwen/Qwen3-30B-A3B-Instruct-2570 clean.yaml && prints err 'did you mean `Qwen/Qwen3-30B-A3B-Instruct-2507`?'
for id in Qwen/Qwen2.5-8B Qwen/Qwen3-80B meta-llama/Llama-3.1-7B-Instruct; do
  run 2 validate --model $id clean.yaml && prints err 'explain models' && lacks err 'did you mean'
done
run 2 validate --model resnt50 clean.yaml && prints err 'did you mean `resnet50`?'
# The number of GPUs of a command applies beside the same runtime of the user, but not beside his own number.
mkdir -p served/model && printf '{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 8192, "intermediate_size": 29568, "num_hidden_layers": 2, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 152064, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true, "version": "gemm"}}' >served/model/config.json
printf '#!/bin/sh\nvllm serve ./model --tensor-parallel-size 2\n' >served/serve.sh
run 1 validate --runtime vllm served/serve.sh && prints out 'error[QC306]'
run 0 validate --runtime vllm --tensor-parallel 1 served/serve.sh && lacks out QC306
run 0 validate --llmc 0.14.0 --runtime vllm@0.24.1 --tp 2 --gpu A100 clean.yaml && silent err
run 2 validate --llmc 0.99 clean.yaml && prints err 'one of 0.14'
run 2 validate --baseline missing.json base && prints err 'no such file; write it with `sparsecfg validate --write-baseline`'
run 2 validate claen.yaml && prints err 'no such file; did you mean `clean.yaml`?'
run 2 match base && prints err 'is a directory; name a file'
run 0 validate --tp 2 --gpu a100 clean.yaml && prints err '--tensor-parallel: has no effect without --runtime' && prints err '--gpu: has no effect'

# --- suppression in a whole file
sed '1i # sparsecfg: ignore-file[SP210] the paper does so' warned.yaml >quiet.yaml
run 0 validate --fail-on warning quiet.yaml && prints out 'no errors'
sed '1i # sparsecfg: ignore-file[SP305] the paper does so' warned.yaml >quiet.yaml
run 1 validate --fail-on warning quiet.yaml && prints out 'unused suppression: the file does not cause SP305' && prints out 'warning[SP210]'

# --- watching
run 2 validate --watch - && prints err 'cannot be watched'
last='validate --watch'
mkdir -p watched && cp clean.yaml watched
"$sparsecfg" validate --watch --format concise watched >out 2>err &
running=$!
wait_for() { for _ in $(seq 100); do grep -qF -- "$1" out && return 0; sleep 0.1; done; fail "$last: no \"$1\""; }
wait_for 'watching'
cp broken.yaml watched/new.yaml
wait_for 'watched/new.yaml:'
printf 'severity: {SP105: warning}\n' >watched/.sparsecfg.yaml
wait_for ': warning: '
kill -TERM $running
wait $running
test $? = 143 || fail "$last: not exit status 143"

# --- standard input
last='standard input'
"$sparsecfg" validate - <clean.yaml >out 2>err || fail "$last: a clean recipe"
"$sparsecfg" validate - <broken.yaml >out 2>err && fail "$last: a broken recipe"
prints out '--> -:'
"$sparsecfg" validate --stdin-filename notes/card.md - <card.md >out 2>err || fail "$last: front matter"
sed 's/final_sparsity:/final_sparsty:/' card.md | "$sparsecfg" validate --stdin-filename notes/card.md - >out 2>err && fail "$last: broken front matter"
prints out '--> notes/card.md:'
"$sparsecfg" validate - <card.md >out 2>err && fail "$last: front matter counts as YAML"
"$sparsecfg" validate --stdin-filename recipe.yml - <clean.yaml >out 2>err && fail "$last: an ending that SparseML refuses"
prints out 'error[SP022]'
"$sparsecfg" validate <(cat clean.yaml) >out 2>err || fail "$last: process substitution"
"$sparsecfg" validate --skip-unknown - <services.yaml >out 2>err || fail "$last: --skip-unknown"
"$sparsecfg" convert --to ir --stdin-filename card.md - <card.md >out 2>err || fail "$last: convert"
json '"actions" in out'

# --- convert
run 0 convert --to ir clean.yaml && json '"actions" in out' && silent err
run 1 convert --to ir broken.yaml && silent out && prints err 'error[SP105]'
run 2 convert --to ir missing.yaml && silent out && prints err 'no such file'
run 2 convert --to ir empty && silent out && prints err 'is a directory'
run 2 convert clean.yaml && silent out && prints err '--to'
run 0 convert --to ir -o - clean.yaml && json '"actions" in out'
run 2 convert --to pdf clean.yaml && silent out
run 0 convert --to ir -o written.json clean.yaml && silent out && test -s written.json || fail "$last: no output"
run 2 convert --to ir -o missing/written.json clean.yaml && prints err 'missing/written.json: no such file'
run 2 convert --to ir -o empty clean.yaml && prints err 'empty: is a directory'
run 1 convert --to ir -o never.json broken.yaml && test ! -e never.json || fail "$last: written in spite of errors"

# --- wrapped text
COLUMNS=60 run 0 timeline --steps-per-epoch 4 --summary clean.yaml && test "$(wc -L <out)" -le 60 || fail "$last: not wrapped"
COLUMNS=60 run 0 convert --to nni --steps-per-epoch 4 --allow-loss clean.yaml && test "$(wc -L <err)" -le 60 || fail "$last: not wrapped"
COLUMNS=50 run 0 help validate && test "$(wc -L <out)" -le 50 || fail "$last: not wrapped"
run 0 timeline --color always --steps-per-epoch 4 --summary clean.yaml && prints out "$(printf '\033[1m')"
run 0 help validate && lacks out --max-scalar && lacks out --nas-levels
run 0 validate --help-all && prints out --max-scalar && prints out --nas-levels
run 0 validate --from ai8x --help && prints out --nas-levels && lacks out --max-scalar

# --- timeline
run 0 timeline --steps-per-epoch 4 clean.yaml && prints out 'GMPruningModifier#4' && silent err
run 0 timeline --steps-per-epoch 4 --format csv clean.yaml && prints out 'step,epoch,lr,'
run 0 timeline --steps-per-epoch 4 --summary --format json clean.yaml && json 'out["steps"] == 240'
run 1 timeline --steps-per-epoch 4 broken.yaml && silent out && prints err 'error[SP105]'
run 0 timeline clean.yaml && prints out '60 epochs of 10 steps' && prints err '10 steps per epoch are assumed' && prints err --steps-per-epoch
run 0 timeline --quiet clean.yaml && silent err
# The output of `timeline` is a log that agrees, and the first step that differs is named.
run 0 timeline --steps-per-epoch 4 --format csv -o run.csv clean.yaml
run 0 timeline --steps-per-epoch 4 --against run.csv clean.yaml && prints out 'no difference in' && silent err
sed 's/^40,\([^,]*\),[^,]*/40,\1,0.5/' run.csv >other.csv
run 1 timeline --steps-per-epoch 4 --against other.csv clean.yaml && prints out 'first difference at step 40 (epoch 10): lr is 0.5 in the log'
run 0 timeline --steps-per-epoch 4 --format jsonl -o run.jsonl clean.yaml
run 0 timeline --steps-per-epoch 4 --against run.jsonl clean.yaml && prints out 'no difference in'
printf 'loss\n1\n' >losses.csv
run 2 timeline --steps-per-epoch 4 --against losses.csv clean.yaml && silent out && prints err 'no row has a step'
run 2 timeline --steps-per-epoch 4 --against missing.csv clean.yaml && silent out && prints err 'no such file'
rm run.csv other.csv run.jsonl losses.csv
run 2 timeline --steps-per-epoch 4 missing.yaml && silent out && prints err 'no such file'
for steps in 0 -1 1000000000000; do
  run 2 timeline --steps-per-epoch $steps --format csv clean.yaml && silent out && prints err --steps-per-epoch
done
run 2 timeline --steps-per-epoch 4 -o missing/written.csv clean.yaml && prints err missing/written.csv

run 2 timeline --steps-per-epoch 4 -o /dev/full clean.yaml && prints err 'not a regular file'

# --- a reader that goes away, and a disk that fills up under a file that was there before
last='timeline | head'
"$sparsecfg" timeline --steps-per-epoch 1000000 --format csv clean.yaml 2>err | head -n 1 >out
test "${PIPESTATUS[0]}" = 141 || fail "$last: goes on"
prints out 'step,epoch,lr,' && silent err
last='timeline -o on a full disk'
echo old >kept.csv
(trap '' XFSZ && ulimit -f 64 && exec "$sparsecfg" timeline --steps-per-epoch 10000 --format csv --force -o kept.csv clean.yaml >out 2>err)
test $? = 2 || fail "$last: goes unnoticed"
silent out && prints err kept.csv
test "$(cat kept.csv)" = old || fail "$last: the old file is gone"
test "$(echo .sparsecfg-*)" = '.sparsecfg-*' || fail "$last: a temporary file is left"

# --- nothing is written over what nobody asked to lose
cp clean.yaml itself.yaml
run 2 timeline --steps-per-epoch 2 --force -o itself.yaml itself.yaml && prints err 'the output file is also the input'
run 2 compose --force -o itself.yaml clean.yaml itself.yaml && prints err 'the output file is also the input'
run 2 diff --force -o itself.yaml itself.yaml clean.yaml && prints err 'the output file is also the input'
run 2 convert --to ir -o kept.csv clean.yaml && prints err 'already exists; use --force to replace it'
cmp -s itself.yaml clean.yaml && test "$(cat kept.csv)" = old || fail "$last: written"
run 0 convert --to ir --force -o kept.csv clean.yaml && grep -q actions kept.csv || fail "$last: not written"
run 0 convert --to ir -o - clean.yaml && json '"actions" in out'
run 0 convert --to ir -o /dev/stdout clean.yaml && json '"actions" in out'
last='--fix on a file that changes meanwhile'
printf 'modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 3.0\n- !SetLearningRateModifier\n  start_epoch: 1.0\n  end_epoch: 2.0\n  learning_rate: 0.1\n' >meanwhile.yaml
cp meanwhile.yaml read.yaml
mkfifo gate
(cat <gate) | "$sparsecfg" validate --fix meanwhile.yaml - >out 2>err &
running=$!
(sleep 1; echo '# an edit' >>meanwhile.yaml; cat read.yaml) >gate
wait $running
test $? = 2 || fail "$last: not exit status 2"
prints err 'meanwhile.yaml: the file was changed in the meantime and was not written'
grep -q '# an edit' meanwhile.yaml || fail "$last: the edit is lost"
last='timeline -o interrupted'
"$sparsecfg" timeline --every-step --steps-per-epoch 1000000 --format csv -o long.csv clean.yaml >out 2>err &
running=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
  test "$(echo .sparsecfg-*)" = '.sparsecfg-*' && sleep 0.3
done
kill -TERM $running
wait $running
test $? = 143 || fail "$last: not exit status 143"
test "$(echo .sparsecfg-*)" = '.sparsecfg-*' && test ! -e long.csv || fail "$last: a file is left"
run 0 validate --fix read.yaml read.yaml ./read.yaml && prints out '1 file checked'

# --- the exit status of every command: a clean recipe, one with an error, YAML that can't be read, no file, a folder
printf 'fc.weight\nlayer1.0.conv1.weight\n' >weights.txt
exits() {
  local place=0
  local inputs=(clean.yaml broken.yaml unclosed.yaml missing.yaml empty)
  for status in $1 $2 $3 $4 $5; do
    run "$status" "${@:6}" "${inputs[place]}"
    place=$((place + 1))
  done
}
exits 0 1 1 2 0 validate
exits 0 1 1 2 0 validate --format json
exits 0 1 1 2 0 validate --diff
exits 0 1 1 2 2 timeline --steps-per-epoch 4
exits 0 1 1 2 2 timeline --steps-per-epoch 4 --summary
exits 0 1 1 2 2 timeline --steps-per-epoch 4 --format svg
exits 0 1 1 2 2 convert --to ir
exits 0 1 1 2 2 convert --to sparseml --report json
exits 0 0 1 2 0 normalize
exits 0 0 1 2 0 normalize --check
exits 0 1 1 2 2 match --params weights.txt
for words in 'validate' 'timeline --steps-per-epoch 4' 'convert --to ir' 'normalize' 'match --params weights.txt'; do
  last="$words on a full disk"
  "$sparsecfg" $words clean.yaml >/dev/full 2>err
  test $? = 2 || fail "$last: goes unnoticed"
  run 2 $words --params missing.txt clean.yaml && prints err missing.txt
done

# --- numbers out of range, and what a terminal would obey
for limit in '--max-size -1' '--max-size 18446744073709551615' '--max-depth -1' '--max-depth 10000000' '--max-nodes 0' \
  '--initial-lr inf'; do
  run 2 convert --to ir $limit clean.yaml && silent out && prints err "${limit%% *}"
done
run 2 validate $'--\e[31mfoo' && lacks err $'\e'

# --- Distiller
printf 'quantizers:\n  q: {class: PostTrainLinearQuantizer, bits_activations: 8, bits_parameters: 8}\n' >trained.yaml
run 0 validate trained.yaml && prints out 'no errors'
run 2 timeline --steps-per-epoch 4 trained.yaml && silent out && prints err 'recipes for a trained model have no steps'

# --- NNI
printf '\tNet\nfc1\tLinear\n' >modules.tsv
printf 'no tab\n' >names.txt
run 0 validate --modules modules.tsv nni.yaml && prints out 'warning[MD912]'
run 2 validate --modules missing.tsv nni.yaml && silent out && prints err missing.tsv
run 2 validate --modules names.txt nni.yaml && silent out && prints err 'line 1: add a tab'
run 1 validate --nni 2.x nni.yaml && prints out 'error[SP105]'
run 2 validate --nni 4.0 nni.yaml && silent out
printf 'pruner: {class: TaylorPruner, training_steps: 6}\nevaluator: {steps_per_epoch: 4}\nconfig_list: [{op_types: [Linear], sparse_ratio: 0.5}]\n' >taylor.yaml
run 0 timeline --format csv --initial-lr 0.1 taylor.yaml && prints out '6,1.5,,0.5' && silent err

# --- convert to a dialect
run 0 convert --to sparseml clean.yaml && prints out 'modifiers:' && prints err 'exact'
run 0 convert --to sparseml --report json -o own.yaml clean.yaml && silent out && test -s own.yaml || fail "$last: no output"
run 1 convert --to distiller -o never.yaml clean.yaml && test ! -e never.yaml || fail "$last: written in spite of a loss"

# --- normalize
sed 's/: /:   /' clean.yaml >form.yaml
chmod 640 form.yaml
run 1 normalize --check form.yaml && silent out && prints err 'form.yaml: not formatted' && prints err '1 file to be formatted, 0 unchanged'
run 1 normalize --diff form.yaml && prints out '+++ form.yaml'
run 0 normalize --write form.yaml && silent out && prints err '1 file formatted, 0 unchanged'
test "$(stat -c %a form.yaml)" = 640 || fail "$last: other permissions"
run 0 normalize --check form.yaml && silent out && prints err '0 files to be formatted, 1 unchanged'
run 0 normalize --diff form.yaml && silent out
run 0 normalize form.yaml form.yaml && prints out '# form.yaml'
mkdir -p formatted && cp form.yaml formatted/one.yaml && printf 'a:   1\n' >formatted/other.yaml && printf 'x = 1\n' >formatted/script.py
run 0 normalize --check formatted && prints err '0 files to be formatted, 1 unchanged'
run 1 normalize formatted/other.yaml && silent out && prints err 'error[SP021]'
run 0 normalize --skip-unknown formatted/other.yaml && silent out && silent err
run 2 normalize --write missing.yaml && prints err 'no such file'
run 2 normalize --write - && silent out
run 2 normalize --write --check form.yaml
printf 'config_list = [{"op_types": ["Linear"], "sparse_ratio": 0.5}]\n' >script.py
run 2 normalize script.py && silent out && prints err 'convert --to nni'
run 0 convert --to nni script.py && prints out 'sparse_ratio: 0.5' && prints err exact

# --- match
printf 'a.weight\nb.weight\n' >two.txt
run 2 match clean.yaml && silent out && prints err --model
run 2 match --params two.txt missing.yaml && silent out && prints err 'no such file'
run 2 match --params two.txt --explain a.wight clean.yaml && prints err 'did you mean a.weight?'
run 1 match --params two.txt --explain a.weight clean.yaml && prints out 'not selected' && prints err 'error[MD901]'

# --- files of names that lie, and shards beside an index
tensors() { # <file> <length of the header as eight bytes> <header>
  printf "$2" >"$1" && printf '%s' "$3" >>"$1"
}
tensors cut.safetensors '\x40\0\0\0\0\0\0\0' '{"a.weight":{'
run 2 match --params cut.safetensors clean.yaml && silent out && prints err 'ends after 13 of the 64 bytes of its header'
tensors giant.safetensors '\xff\xff\xff\xff\xff\xff\xff\x7f' '{}'
run 2 match --params giant.safetensors clean.yaml && silent out && prints err 'more than a .safetensors file may have'
tensors short.safetensors '\x40' ''
run 2 match --params short.safetensors clean.yaml && silent out && prints err 'too short'
tensors list.safetensors '\x02\0\0\0\0\0\0\0' '[]'
run 2 match --params list.safetensors clean.yaml && silent out && prints err 'not a JSON mapping'
printf '{"a": [18446744073709551615, 18446744073709551615]}' >product.json
run 2 match --params product.json clean.yaml && silent out && prints err 'is invalid or too large'
printf '{"a": [1], "a": [2]}' >twice.json
run 2 match --params twice.json clean.yaml && silent out && prints err 'the name `a` twice'
{ printf '{"a": {"b": ' && head -c 1000000 /dev/zero | tr '\0' '['; } >deep.json
run 2 match --params deep.json clean.yaml && silent out && prints err 'nested more than 16 levels deep' && test "$(wc -l <err)" = 1
tensors one.safetensors '\x1c\0\0\0\0\0\0\0' '{"a.weight":{"shape":[2,3]}}'
printf '{"weight_map": {"a.weight": "one.safetensors", "b.weight": "gone.safetensors", "c.weight": "../one.safetensors"}}' >model.safetensors.index.json
run 1 match --all --params model.safetensors.index.json clean.yaml && prints out 'a.weight (2x3)' && lacks out 'b.weight ('
cp cut.safetensors gone.safetensors
run 2 match --params model.safetensors.index.json clean.yaml && silent out && prints err 'its shard gone.safetensors ends after'
printf 'a.weight\tLinear\t2x\n' >shape.txt
run 2 match --params shape.txt clean.yaml && silent out && prints err 'line 1: `2x` is not a valid shape'

# --- create: errors name the options that were passed
run 2 create --to modelopt --pruning true && silent out && prints err 'pruning requires --to llm-compressor' && lacks err script
run 2 create --script --scheme W4A16 && prints err '--scheme and --script require --to llm-compressor' && lacks err method
run 2 create --to llm-compressor --lr cosine && silent out && prints err '--lr has no effect with --to llm-compressor'
run 2 create --set mask_type=filter && prints err 'the default pruner does not support' && prints err 'pass --pruning structured'
run 2 create --pruning acdc --set mask_type=filter && prints err '--pruning acdc does not support' && lacks err 'pass --pruning'
run 2 create --to llm-compressor --model Qwen/Qwne3-8B && prints err 'did you mean `Qwen/Qwen3-8B`?'

# --- explain, schema
run 0 explain SP105 && prints out unknown-field && silent err
run 0 explain GMPruningModifier && prints out final_sparsity
run 0 explain models && prints out Qwen/Qwen3-8B && prints out 'qwen2_5_vl'
run 2 explain GMPruningModifer && silent out && prints err 'did you mean `GMPruningModifier`?'
run 0 explain && prints out 'a dialect' && prints out diagnostics && silent err
run 0 explain --list && prints out 'SP2: epochs' && prints out final-update-unreachable && silent err
run 0 explain --list --format json && json '[each["prefix"] for each in out["families"]][0] == "SP0"'
run 0 explain --list --format markdown && prints out '[SP202](SP202.md)'
run 2 explain --list SP202 && silent out
run 2 explain --list --format man && silent out
run 2 explain --format json SP202 && silent out
run 0 schema distiller && json 'out["title"].startswith("Distiller")' && silent err
run 0 schema nni && json 'out["title"].startswith("NNI")' && silent err
run 0 explain AGPPruner && prints out interval_steps
run 0 explain sparse_ratio && prints out 'float, not an int'
run 0 schema sparseml && json 'out["title"].startswith("SparseML")' && silent err
run 2 schema latin && silent out && prints err 'unknown schema'
run 0 schema report && json 'out["title"].startswith("Report")' && silent err
run 0 schema settings && json 'out["title"].startswith("Settings")' && silent err
run 2 schema && silent out

# --- output that can't be written
for arguments in 'validate clean.yaml' 'validate --format json clean.yaml' 'convert --to ir clean.yaml' 'explain SP105' \
  'timeline --steps-per-epoch 4 clean.yaml' 'timeline --steps-per-epoch 4 --format csv clean.yaml' \
  'schema sparseml' '--help'; do
  last="sparsecfg $arguments"
  # shellcheck disable=SC2086  # one word for each argument
  "$sparsecfg" $arguments >/dev/full 2>err
  test $? = 2 || fail "$last: a full disk goes unnoticed"
  # shellcheck disable=SC2086
  "$sparsecfg" $arguments >&- 2>err
  test $? = 2 || fail "$last: a closed output goes unnoticed"
done

# --- colours
escape=$'\033'
run 1 validate broken.yaml && lacks out "$escape"
run 1 validate --color always broken.yaml && prints out "$escape"
run 1 validate --color always --format json broken.yaml && lacks out "$escape" && json 'out["format"] == 1'
run 2 validate --color sometimes broken.yaml
NO_COLOR=1 run 1 validate --color always broken.yaml && prints out "$escape"
FORCE_COLOR=1 run 1 validate broken.yaml && prints out "$escape"
FORCE_COLOR=1 NO_COLOR=1 run 1 validate broken.yaml && lacks out "$escape"
run 1 --color always validate broken.yaml && prints out "$escape"
if ! script -qec true /dev/null >out 2>err </dev/null; then
  echo 'skipped: colours on a terminal, since no pseudo-terminal can be opened here'
else
  last='sparsecfg on a terminal'
  script -qec "'$sparsecfg' validate broken.yaml" /dev/null >out 2>err </dev/null
  prints out "$escape"
  NO_COLOR=1 script -qec "'$sparsecfg' validate broken.yaml" /dev/null >out 2>err </dev/null
  lacks out "${escape}["
fi

# --- wrong command lines
{
  while IFS= read -r line; do
    echo "\$ sparsecfg $line"
    # shellcheck disable=SC2086  # one word for each argument
    "$sparsecfg" $line >out 2>err </dev/null
    status=$?
    cat err
    test $status = 2 || echo "exit status $status"
    test ! -s out || echo "something on standard output"
  done <"$project/tests/cli/wrong_command_lines.txt"
} >wrong.txt
recorded=$project/testdata/help/wrong-command-lines.txt
if test "$update" = --update; then
  cp wrong.txt "$recorded"
elif ! diff -u "$recorded" wrong.txt; then
  last='wrong command lines' && fail "not what is recorded; cmake --build <build folder> --target update-docs"
fi

# --- diff
sed 's/end_epoch: .*/&  # the same/; s/^# .*//' clean.yaml >same.yaml
run 0 diff clean.yaml same.yaml && prints out 'the same schedule, written differently' && silent err
run 0 diff clean.yaml clean.yaml && prints out 'the same text'
run 2 diff clean.yaml broken.yaml && prints err 'nothing was compared'
run 2 diff clean.yaml nowhere.yaml && prints err nowhere.yaml
run 2 diff clean.yaml && silent out
if git --version >/dev/null 2>&1; then
  mkdir checkout && cp clean.yaml checkout/recipe.yaml && git -C checkout init -q
  git -C checkout add recipe.yaml && git -C checkout -c user.name=x -c user.email=x@x commit -qm first
  sed -i 's/final_sparsity: .*/final_sparsity: 0.7/' checkout/recipe.yaml
  run 1 diff HEAD checkout/recipe.yaml && prints out '--- HEAD:checkout/recipe.yaml'
  git -C checkout checkout -q recipe.yaml && run 0 diff HEAD checkout/recipe.yaml && prints out 'the same text'
  # A script has the modules, and a checkpoint the model, of the revision; settings of the file apply to both.
  mkdir -p checkout/scripts && cat >checkout/scripts/train.py <<'PY'
from helpers import SCHEME
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
oneshot(model="Qwen/Qwen3-8B", recipe=GPTQModifier(targets="Linear", scheme=SCHEME, ignore=["lm_head"]), dataset="c4")
PY
  echo 'SCHEME = "W4A16"' >checkout/scripts/helpers.py
  cat >checkout/scripts/config.json <<'JSON'
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 256, "intermediate_size": 512,
 "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100,
 "quantization_config": {"quant_method": "fp8", "activation_scheme": "dynamic", "modules_to_not_convert": []}}
JSON
  cat >checkout/scripts/prune.py <<'PY'
config_list = [{"op_types": ["Linear"], "sparsity": 0.8}]
PY
  printf 'per-file: {"prune.py": {nni: 2.x, pruner: "AGPPruner(L1NormPruner)"}}\n' >checkout/scripts/.sparsecfg.yaml
  git -C checkout add scripts && git -C checkout -c user.name=x -c user.email=x@x commit -qm second
  run 0 diff HEAD checkout/scripts/train.py && prints out 'the same text'
  run 0 diff HEAD checkout/scripts/prune.py && prints out 'the same text'
  echo 'SCHEME = "W8A16"' >checkout/scripts/helpers.py
  run 1 diff HEAD checkout/scripts/train.py && prints out '252 layers: int4' && lacks out 'the same text'
  sed 's/scheme=SCHEME/scheme=SCHEME.get()/' checkout/scripts/train.py >checkout/scripts/late.py
  git -C checkout add scripts/late.py && git -C checkout -c user.name=x -c user.email=x@x commit -qm third
  run 2 diff HEAD checkout/scripts/late.py && prints out 'not compared' && lacks out 'the same text'
  mkdir -p checkout/modelopt && cat >checkout/modelopt/recipe.yaml <<'YAML'
imports: {weights: modelopt/weights}
metadata: {recipe_type: ptq}
quantize:
  algorithm: max
  quant_cfg:
    - quantizer_name: '*weight_quantizer'
      cfg: {$import: weights}
YAML
  printf '# modelopt-schema: modelopt.torch.quantization.config.QuantizerAttributeConfig\nnum_bits: 8\n' >checkout/modelopt/weights.yaml
  git -C checkout add modelopt && git -C checkout -c user.name=x -c user.email=x@x commit -qm fourth
  (cd checkout && "$sparsecfg" diff HEAD modelopt/recipe.yaml) >out 2>err || fail 'an import that did not change'
  prints out 'the same text'
  sed -i s/8/4/ checkout/modelopt/weights.yaml
  ! (cd checkout && "$sparsecfg" diff HEAD modelopt/recipe.yaml) >out 2>err || fail 'an import that changed'
  lacks out 'the same text'
  sed -i 's/"modules_to_not_convert": \[\]/"modules_to_not_convert": ["lm_head"]/' checkout/scripts/config.json
  run 1 diff HEAD checkout/scripts/config.json && prints out 'lm_head: float8'
  # Files with other names in the revision, and modules that only scripts use.
  (cd checkout && "$sparsecfg" diff HEAD:recipe.yaml ../same.yaml) >out 2>err || fail 'a path in a revision'
  prints out 'the same schedule, written differently'
  (cd checkout/scripts && "$sparsecfg" diff HEAD:scripts/prune.py prune.py) >out 2>err || fail 'a path from the root'
  (cd checkout/scripts && "$sparsecfg" diff HEAD:./prune.py prune.py) >out 2>err || fail 'a path from the folder'
  git -C checkout mv recipe.yaml renamed.yaml && run 0 diff HEAD checkout/renamed.yaml && prints out 'the same text'
  mv checkout/renamed.yaml checkout/hidden.yaml && run 2 diff HEAD checkout/hidden.yaml
  prints err 'this revision lacks the file' && prints err 'write `HEAD:NAME`'
  mv checkout/hidden.yaml checkout/renamed.yaml && git -C checkout mv renamed.yaml recipe.yaml
  mkdir checkout/release && cp clean.yaml checkout/release && echo 'llmcompressor==0.13.0' >checkout/release/requirements.txt
  git -C checkout add release && git -C checkout -c user.name=x -c user.email=x@x commit -qm release
  run 0 diff HEAD checkout/release && prints out 'no difference'
  echo 'llmcompressor==0.6.0' >checkout/release/requirements.txt
  run 1 diff HEAD checkout/release && prints out 'llmcompressor==0.13.0 -> llmcompressor==0.6.0'
  prints out '1 recipe: 1 required release changed'
  run 0 diff HEAD checkout/scripts/helpers.py && prints err 'compare the scripts that import it'
  run 2 diff HEAD~7 checkout/recipe.yaml && prints err 'neither a file nor a git revision'
  PATH=$work run 2 diff HEAD checkout/recipe.yaml
  prints err 'is not installed'
  run 2 diff 'HEA[D]' checkout/recipe.yaml && prints err 'nor a git revision'
  run 2 diff HEAD~0..HEAD checkout/recipe.yaml
  (trap '' CHLD && exec "$sparsecfg" diff HEAD~7 checkout/recipe.yaml) >out 2>err
  prints err 'nor a git revision'
  # A partial clone that lacks the file, whose configuration names programs.
  cp -r checkout partial
  blob=$(git -C partial rev-parse HEAD:recipe.yaml)
  rm -f "partial/.git/objects/$(echo "$blob" | cut -c1-2)/$(echo "$blob" | cut -c3-)"
  printf '#!/bin/sh\ntouch %s/ran\n' "$work" >program.sh && chmod +x program.sh
  for setting in core.repositoryformatversion=1 extensions.partialClone=o remote.o.url=ssh://x/y remote.o.promisor=true \
    core.sshCommand="$work/program.sh" core.fsmonitor="$work/program.sh" credential.helper="$work/program.sh"; do
    git -C partial config "${setting%%=*}" "${setting#*=}"
  done
  run 2 diff HEAD partial/recipe.yaml && prints err 'bad object'
  run 2 diff HEAD partial && prints out 'not compared'
  test ! -e ran || fail "diff ran a program that the configuration names"

  # A folder: a module that is imported through another one, renamed, new and deleted recipes, and files without recipes.
  mkdir -p folder/recipes/helpers && git -C folder init -q
  cp clean.yaml folder/recipes/same.yaml && cp clean.yaml folder/recipes/renamed.yaml && cp clean.yaml folder/recipes/gone.yaml
  cp clean.yaml folder/outside.yaml
  cat >folder/recipes/train.py <<'PY'
import json
from helpers.presets import SCHEME
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
oneshot(model="Qwen/Qwen3-8B", recipe=GPTQModifier(targets="Linear", scheme=SCHEME, ignore=["lm_head"]), dataset="c4")
PY
  sed 's/SCHEME, ignore/unknown(), ignore/; /helpers/d' folder/recipes/train.py >folder/recipes/unknown.py
  touch folder/recipes/helpers/__init__.py
  echo 'from helpers.schemes import DEFAULT as SCHEME' >folder/recipes/helpers/presets.py
  echo 'DEFAULT = "W4A16"' >folder/recipes/helpers/schemes.py
  printf '# Recipes\n' >folder/recipes/README.md && printf '{"data": 1}\n' >folder/recipes/data.json
  git -C folder add . && git -C folder -c user.name=x -c user.email=x@x commit -qm first
  run 0 diff HEAD folder/recipes && prints out '5 recipes: no difference' && lacks out '---' && silent err
  git -C folder mv recipes/renamed.yaml recipes/other.yaml && rm folder/recipes/gone.yaml folder/outside.yaml
  printf '# The recipes\n' >folder/recipes/README.md && printf '{"data": 2}\n' >folder/recipes/data.json
  run 1 diff HEAD folder/recipes && prints out deleted && prints out '4 recipes: 1 deleted' && lacks out outside
  cp clean.yaml folder/recipes/gone.yaml && cp clean.yaml folder/recipes/new.yaml
  run 0 diff HEAD folder/recipes && prints out '6 recipes: 1 new'
  echo 'DEFAULT = "W8A16"' >folder/recipes/helpers/schemes.py
  (cd folder && "$sparsecfg" diff HEAD recipes) >out 2>err && fail 'a module of a module'
  prints out '252 layers: int4' && prints out '6 recipes: 1 changed, 1 new'
  run 1 diff --format json HEAD folder/recipes && prints out '"recipes"' && prints out '"same": false'
  run 1 diff --format markdown HEAD folder/recipes && prints out '1 changed, 1 new'
  sed -i 's/unknown()/unknown(1)/' folder/recipes/unknown.py
  run 2 diff HEAD folder/recipes && prints out '1 changed, 1 new, 1 not compared'
  git -C folder checkout -q . && sed -i 's/unknown(1)/unknown()/' folder/recipes/unknown.py && rm folder/recipes/new.yaml
  printf 'import sys\nsys.path.insert(0, "lib")\nfrom presets import S\n' >folder/recipes/late.py
  sed 's/from helpers.*//; s/SCHEME, ignore/S, ignore/' folder/recipes/train.py >>folder/recipes/late.py
  mkdir folder/only && cp clean.yaml folder/only/one.yaml && git -C folder add . && git -C folder -c user.name=x -c user.email=x@x commit -qm second
  run 0 diff HEAD folder && prints out 'no difference'
  rm -r folder/only && run 1 diff HEAD folder && prints out '1 deleted' && git -C folder checkout -q .
  echo 'DEFAULT = "W8A8"' >folder/recipes/helpers/schemes.py
  run 2 diff HEAD folder && prints out '1 changed' && prints out 'not compared'
  run 2 diff HEAD~7 folder/recipes && prints err 'neither a file nor a git revision'
  run 2 diff --format svg HEAD folder/recipes && prints err 'needs a file'
fi

# --- rescale
run 0 rescale --factor 2 clean.yaml -o longer.yaml && prints err 'scaled by 2' && run 0 validate longer.yaml
run 2 rescale --factor 2 clean.yaml -o longer.yaml && prints err --force
run 2 rescale clean.yaml && prints err 'one of --epochs N, --factor F and --steps-per-epoch A:B'
run 2 rescale --factor 2 --epochs 3 clean.yaml && prints err 'one of'
run 2 rescale --factor 0 clean.yaml && prints err 'above 0'
run 2 rescale --steps-per-epoch 100 clean.yaml && prints err 'A:B'
run 2 rescale --epochs 3 nni.yaml && prints err 'use --factor'
run 2 rescale --factor 2 nni.py && prints err 'not changed'
run 0 convert --to ir clean.yaml && mv out schedule.json
run 2 rescale --factor 2 schedule.json && prints err 'rescale the recipe'
printf 'a_stage:\n  a_modifiers:\n    GPTQModifier: {targets: [Linear], scheme: W4A16}\n' >shot.yaml
run 2 rescale --factor 2 --from llm-compressor shot.yaml && prints err 'have no epochs to rescale'
run 0 timeline --format jsonl --from llm-compressor shot.yaml
python3 -c 'import json; lines = [json.loads(line) for line in open("out")]; assert lines[0]["one_shot"] and len(lines) == 2' ||
  fail "$last: no JSON Lines"
run 0 convert --to llm-compressor --stage a --from llm-compressor shot.yaml
printf '{"format":1,"dialect":"sparseml","action":[]}' >broken.json
run 1 compose broken.json broken.json && prints err SP105
run 1 timeline --steps-per-epoch 2 broken.json && silent out
python3 -c 'print("a/" * 60000 + "b.yaml")' >long
run 2 validate "$(cat long)" && prints err 'name is too long'
run 2 diff "$(cat long)" clean.yaml

# --- compose
run 0 compose clean.yaml clean.yaml -o stages.yaml && prints err '2 recipes in 2 stages' && run 0 validate stages.yaml
run 2 compose clean.yaml clean.yaml -o stages.yaml && prints err --force
run 1 compose stages.yaml stages.yaml && prints err 'rename one of them'
run 1 compose clean.yaml shot.yaml && prints err 'the dialect is'
run 1 compose nni.yaml nni.yaml && prints err 'has no stages'
run 1 compose clean.yaml broken.yaml && silent out
run 2 compose clean.yaml && silent out
run 2 compose clean.yaml nowhere.yaml && prints err nowhere.yaml

# --- ai8x-training: its files are known by their folder, and a schedule can be checked with its policy
mkdir -p training/policies && touch training/parse_qat_yaml.py
cat >training/policies/schedule.yaml <<'END'
lr_schedulers:
  s: {class: StepLR, step_size: 2}
policies:
- lr_scheduler: {instance_name: s}
  starting_epoch: 1
  ending_epoch: 9
  frequency: 1
END
cp training/policies/schedule.yaml elsewhere.yaml
printf 'start_epoch: 3\nweight_bits: 8\n' >training/policies/qat_policy.yaml
schedule=training/policies/schedule.yaml
policy=training/policies/qat_policy.yaml
run 0 validate "$schedule" "$policy" && prints out AX103
run 0 validate --verbose elsewhere.yaml && prints out AX102
run 0 validate --distiller intel "$schedule" && lacks out AX103
run 1 validate --qat-policy "$policy" "$schedule" && prints out 'QAT starts at epoch 3'
run 1 validate --qat-policy "$policy" --epochs 3 "$schedule" && prints out SP207
run 2 validate --qat-policy nowhere.yaml "$schedule" && prints err nowhere.yaml
printf 'qat-policy: policies/qat_policy.yaml\n' >training/.sparsecfg.yaml
run 1 validate training && prints out 'QAT starts at epoch 3'
printf 'start_epoch: "3"\nweight_bits: 8\n' >"$policy"
run 1 validate "$schedule" && prints out AX103 && prints out AX201
printf 'distiller: intel\n' >training/.sparsecfg.yaml
run 0 validate "$schedule" && lacks out AX103
rm training/.sparsecfg.yaml training/parse_qat_yaml.py
run 0 validate "$schedule" && prints out AX103
mv training/policies/schedule.yaml training
run 0 validate training/schedule.yaml && prints out AX103
mv "$policy" training/policies/notes.txt
run 0 validate training/schedule.yaml && lacks out AX103
printf 'start_epoch: 3\nweight_bits: 8\n' >training/policies/notes.txt
run 1 validate --qat-policy training/policies/notes.txt elsewhere.yaml && prints out AX103
rm -r training elsewhere.yaml

# --- what --help prints
for command in validate convert normalize timeline match inspect diff rescale compose explain create schema lsp init; do
  run 0 "$command" --help && silent err
  recorded=$project/testdata/help/$command.txt
  if test "$update" = --update; then
    mkdir -p "$project/testdata/help" && cp out "$recorded"
  elif ! diff -u "$recorded" out; then
    fail "$last: not what is recorded; cmake --build <build folder> --target update-docs"
  fi
done

echo "$failures failures"
test "$failures" = 0

#!/usr/bin/env bash
# Prints or runs the README's commands for a fresh Debian, so that nothing else repeats them.
#
#   readme.sh build|test          runs the command that builds and validates a recipe, or the one that passes the tests
#   readme.sh print build|test    prints it
set -euo pipefail
cd "$(dirname "$0")/.."

case ${*: -1} in
  build) wanted='cmake --workflow --preset release' ;;
  test) wanted='cmake --workflow --preset dev' ;;
  *)
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
# One line per command: lines that end in a backslash are joined with the next one.
command=$(sed -n '/^```sh$/,/^```$/p' README.md | sed -e ':join' -e '/\\$/N; s/ *\\\n */ /; t join' | grep -F -- "$wanted")
if [ "$(wc -l <<<"$command")" -ne 1 ]; then
  echo "README.md must have one command with: $wanted" >&2
  exit 1
fi
if [ "$1" = print ]; then
  printf '%s\n' "$command"
else
  exec bash -euo pipefail -c "$command"
fi

# shellcheck shell=bash
# For shell tests to source: makes the folder $work, which goes at the end, and ends a test that fails.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Says what failed, shows the log of the last step and ends the test.
fail() {
  echo "failed: $1"
  cat "$work/log"
  exit 1
}

#!/usr/bin/env bash
# Runs the README's commands in a bare system, as a new user would, and prints their times.
#
#   bare.sh SUITE [FOLDER]         SUITE: bookworm, trixie, ...; FOLDER: where the system is made (default: a temporary one)
#   bare.sh SUITE FOLDER COMMAND   runs another command twice, such as ci/wasm.sh
#
# Needs root, debootstrap, 6 GB of disk and about 20 minutes on two cores. MIRROR names the mirror of the suite; the
# default is debootstrap's. KEEP=1 keeps the system afterwards. ORDER is "build test" (the default), "test build", or one
# of the two.
set -euo pipefail

if [ $# -lt 1 ] || [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
suite=$1
folder=${2:-$(mktemp -d)}
source=$(cd "$(dirname "$0")/.." && pwd)

clean_up() {
  umount "$folder/proc" 2>/dev/null || true
  if [ -z "${KEEP:-}" ]; then
    rm -rf --one-file-system "$folder"
  fi
}
trap clean_up EXIT

# Runs a command in the clone within the bare system, without the caller's environment, and prints its time.
timed() {
  local name=$1 TIMEFORMAT="== $1: %R s, of which the processors %U + %S s"
  shift
  echo "== $name"
  time chroot "$folder" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive bash -euo pipefail -c "cd /root/sparsecfg && $*"
}

start=$SECONDS
# shellcheck disable=SC2086  # no argument without a mirror
debootstrap --variant=minbase "$suite" "$folder" ${MIRROR:-}
cp /etc/resolv.conf "$folder/etc/"
mount -t proc proc "$folder/proc"
git -c safe.directory='*' clone --quiet --no-hardlinks "file://$source" "$folder/root/sparsecfg"
echo "== bare $suite: $((SECONDS - start)) s, $(du -sm "$folder" --exclude=proc | cut -f1) MB"

if [ $# -gt 2 ]; then
  timed "$3" "$3"
  timed "$3, again" "$3"
  exit
fi
for command in ${ORDER:-build test}; do
  timed "README's $command command" "$("$source/ci/readme.sh" print "$command")"
done
echo "== $(du -sm "$folder" --exclude=proc | cut -f1) MB, of which the builds are $(du -sm "$folder/root/sparsecfg/build" | cut -f1) MB"

#!/usr/bin/env bash
#: Runs the README's commands on a clean Debian 12, made by debootstrap from this machine's own apt
#: sources. Needs root and debootstrap. Not part of ./railyard test: it takes minutes.
#:
#: Usage: tests/fresh.sh [--base FILE.tar] [--keep]
#:   --base FILE.tar   reuse this clean system; make it first when it is not there
#:   --keep            leave the system where it was made, and say where
#: The commands are the lines of the first ```sh block of README.md, at most half an hour each.
#: What is tested is the last commit.
set -euo pipefail

root="$(cd "$(dirname "$0")/.." && pwd)"
suite=bookworm
limit=1800  # seconds a command
base='' keep=0

die() {
  printf 'fresh.sh: %s\n' "$*" >&2
  exit 2
}

parse() {
  while (($# > 0)); do
    case "$1" in
      --base)
        (($# > 1)) || die "--base needs a file"
        base="$(realpath -m "$2")"
        shift ;;
      --keep) keep=1 ;;
      -h | --help) sed -n 's/^#: \{0,1\}//p' "$0"; exit ;;
      *) die "unknown option $1; known: --base --keep --help" ;;
    esac
    shift
  done
  (($(id -u) == 0)) || die "must run as root, for debootstrap and chroot"
  command -v debootstrap >/dev/null || die "no debootstrap; apt-get install debootstrap"
}

# "URI SUITE COMPONENT" of each of this machine's Debian package lists, whatever file names it.
sources() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
    grep -E " $suite(-updates|-security)? main\$" | sort -u
}

clean_system() {
  local mirror
  mirror="$(sources | awk -v suite="$suite" '$2 == suite {print $1; exit}')"
  [[ -n "$mirror" ]] || die "apt knows no source of $suite main"
  if [[ -n "$base" && -e "$base" ]]; then
    tar -xf "$base" -C "$system"
    return
  fi
  local include=''
  ! sources | grep -q '^https:' || include=--include=ca-certificates
  debootstrap --variant=minbase $include "$suite" "$system" "$mirror" >"$system.log" 2>&1 ||
    { tail "$system.log" >&2; die "debootstrap failed"; }
  [[ -z "$base" ]] || tar -cf "$base" -C "$system" .
}

# The chroot reaches the same servers in the same way as this machine.
borrow_network() {
  sources | sed 's/^/deb /' >"$system/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(https?|Check-)' >"$system/etc/apt/apt.conf.d/90machine" || true
  cp -L /etc/resolv.conf /etc/hosts "$system/etc/"
  [[ ! -d "$system/etc/ssl/certs" ]] || cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
}

mount_kernel() {
  mount -t proc proc "$system/proc"
  mount -t devpts devpts "$system/dev/pts"
  mount -t tmpfs tmpfs "$system/dev/shm"
}

clean_up() {
  local folder
  for folder in dev/shm dev/pts proc; do
    ! mountpoint -q "$system/$folder" || umount -l "$system/$folder"
  done
  rm -f "$system.log"
  if ((keep)); then
    echo "kept: $system"
  else
    rm -rf --one-file-system "$system"
  fi
}

copy_repository() {
  mkdir -p "$system/root/railyard"
  git -C "$root" archive HEAD | tar -x -C "$system/root/railyard"
}

# The lines of the first sh block, comments and blanks aside.
readme_commands() {
  awk '/^```/ {if (inside) exit; inside = ($0 == "```sh"); next} inside' \
    "$system/root/railyard/README.md" | grep -vE '^ *(#|$)'
}

# run_in_system COMMAND: with nothing of this machine's environment but its proxies.
run_in_system() {
  local name
  local -a environment=(HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8)
  for name in http_proxy https_proxy no_proxy; do
    [[ -z "${!name:-}" ]] || environment+=("$name=${!name}")
  done
  timeout "$limit" chroot "$system" /usr/bin/env -i "${environment[@]}" \
    /bin/bash -c "cd /root/railyard && $1" </dev/null
}

main() {
  parse "$@"
  system="$(mktemp -d "${TMPDIR:-/tmp}/railyard-fresh.XXXXXX")"
  trap clean_up EXIT
  trap 'exit 130' INT TERM
  chmod 755 "$system"
  clean_system
  borrow_network
  copy_repository
  mount_kernel

  local -a commands rows=()
  mapfile -t commands < <(readme_commands)
  ((${#commands[@]} > 0)) || die "README.md has no sh block with commands"
  local command begin code failed=0
  for command in "${commands[@]}"; do
    echo "--- $command"
    begin=$SECONDS code=0
    run_in_system "$command" || code=$?
    if ((code != 0)); then
      failed=1
      tail -n 3 "$system"/root/railyard/build/release/build.log 2>/dev/null || true  # how far it came
    fi
    rows+=("$(printf '%-40s %6d s   %s' "$command" $((SECONDS - begin)) \
      "$(case $code in 0) echo good ;; 124) echo "over $limit s" ;; *) echo "exit $code" ;; esac)")")
  done
  printf '\non a fresh Debian 12 (%s)\n' "$(cat "$system/etc/debian_version")"
  printf '%s\n' "${rows[@]}"
  exit "$failed"
}

main "$@"

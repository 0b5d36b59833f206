#!/usr/bin/env bash
# How many instructions a call takes, as valgrind counts them: nearly the same in every run, however
# busy the machine is. The second column is the ratio to the first row of the group.
#
#   benches/instructions.sh [PREFIX...]      the rows whose names start so, or all: order/ add/
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
calls=${CARGO_TARGET_DIR:-$here/target}/release/calls
command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 1; }
cargo build -q --release --manifest-path "$here/Cargo.toml"

# total ROW TIMES: the instructions of the whole program.
total() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$calls" --only "$1" --times "$2" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

group=
"$calls" --list | while read -r row; do
  if (($#)); then
    for prefix in "$@"; do [[ $row == "$prefix"* ]] && break; done
    [[ $row == "$prefix"* ]] || continue
  fi
  # What the program does beside the row's work is the same in both runs.
  each=$((($(total "$row" 1020) - $(total "$row" 20)) / 1000))
  if [[ ${row%%/*} != "$group" ]]; then
    [[ -z $group ]] || echo
    group=${row%%/*}
    first=$each
  fi
  printf '%-34s %9d %6s\n' "$row" "$each" "$(awk "BEGIN { printf \"%.2f\", $each / $first }")"
done

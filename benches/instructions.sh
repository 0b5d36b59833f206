#!/usr/bin/env bash
# How many instructions a call takes, as valgrind counts them: the same in every run but for a few in a thousand, however
# busy the machine is. The third column is the ratio to the first row of the group.
#
#   benches/instructions.sh [PREFIX…]      the rows whose names start so, or all of calls: order/ add/
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
calls=${CARGO_TARGET_DIR:-$root/target}/release/calls
command -v valgrind >/dev/null || { echo "valgrind is not installed: apt-get install valgrind" >&2; exit 1; }
cargo build -q --release --manifest-path "$root/benches/Cargo.toml" --bin calls --bin calls-allocations

# rows [PREFIX…]: the names of rows. Without a prefix those of calls, since to make the others takes long.
rows() {
  if (($#)); then "$calls" --list; else "${calls}-allocations" --calls; fi | while read -r row _; do
    for prefix in "${@:-}"; do
      if [[ $row == "$prefix"* ]]; then echo "$row"; break; fi
    done
  done
}

# each PROGRAM NUMBER ROW: the number, the row, and the instructions that its work takes once.
each() {
  local times=200 counted
  counted=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    --toggle-collect=toolwright_benches_measure::program::again "$1" --only "$3" --times "$times" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
  echo "$2 $3 $((counted / times))"
}
export -f each

rows "$@" | nl -ba -w1 -s' ' | xargs -P "$(nproc)" -L1 bash -c 'each "$0" "$@"' "$calls" | sort -n | awk '{
  split($2, name, "/")
  if (name[1] != group) { if (group) print ""; group = name[1]; first = $3 }
  printf "%-34s %9d %6.3f\n", $2, $3, $3 / first
}'

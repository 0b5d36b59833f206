#!/usr/bin/env bash
# Whether calls cost what they did: allocations and their bytes as they stand in gate.txt, and instructions, as a ratio to
# those of HAND, at most 3 % above. It times nothing, so a busy machine changes nothing.
#
#   benches/gate.sh             compares, and tells what is worse (the end is 1) and what is better by more than 3 %
#   benches/gate.sh commit      writes gate.txt anew: look at the difference before it is committed
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../target}
now=$(mktemp)
trap 'rm -f "$now"' EXIT

instructions=$("$here/instructions.sh")
{
  echo "# row, allocations, their bytes, instructions as a ratio to HAND's: benches/gate.sh"
  join <("$target/release/calls-allocations" --calls | sort -k1,1) \
    <(awk 'NF { print $1, $3 }' <<<"$instructions" | sort -k1,1)
} >"$now"

if [[ ${1:-} == commit ]]; then
  cp "$now" "$here/gate.txt"
  exit
fi
awk '
  /^#/ { next }
  NR == FNR { counts[$1] = $2; bytes[$1] = $3; ratio[$1] = $4; next }
  !($1 in ratio) { print $1 ": not in gate.txt"; bad = 1; next }
  { seen[$1] = 1; rows++ }
  $2 != counts[$1] || $3 != bytes[$1] {
    printf "%s: %d allocations of %d bytes, and there were %d of %d\n", $1, $2, $3, counts[$1], bytes[$1]; bad = 1
  }
  $4 > ratio[$1] * 1.03 { printf "%s: %.3f times the instructions of HAND, and it was %.3f\n", $1, $4, ratio[$1]; bad = 1 }
  $4 < ratio[$1] / 1.03 { printf "%s: %.3f times the instructions of HAND, down from %.3f: commit it\n", $1, $4, ratio[$1] }
  END {
    for (row in ratio) if (!(row in seen)) { print row ": in gate.txt, and not there"; bad = 1 }
    if (!rows) { print "no row was measured"; bad = 1 }
    if (bad) print "where that is meant: benches/gate.sh commit"
    exit bad
  }' "$here/gate.txt" "$now"
echo "$(grep -vc '^#' "$now") rows as before"

#!/usr/bin/env bash
# How long `cargo check` and `cargo build` take for a crate of 100 structs of five fields, with our
# derive, with schemars', and with neither. Dependencies are built before, so that the times are
# those of the crate alone. The forms take turns, and of five rounds the shortest counts, so that a
# machine that is slow for a while is slow for all.
#
#   benches/derive_time.sh [STRUCTS]
set -euo pipefail

structs=${1:-100}
root=$(cd "$(dirname "$0")/.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/derive-time
export CARGO_TARGET_DIR=$work/target
mkdir -p "$work"

types=(String i64 bool u32 f64 "Option<String>" "Vec<String>" "Option<i64>" "Part" "Vec<Part>")
of() { echo "${types[$((($1) % ${#types[@]}))]}"; }

# new NAME DEPENDENCIES USES DERIVES
new() {
  mkdir -p "$work/$1/src"
  cp "$root/Cargo.lock" "$work/$1/Cargo.lock"
  printf '[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n%b' "$1" "$2" >"$work/$1/Cargo.toml"
  {
    echo "$3"
    printf '/// A part\n#[derive(%s)]\npub struct Part {\n    pub id: u64,\n}\n' "$4"
    for i in $(seq "$structs"); do
      cat <<RUST
/// Struct number $i
#[derive($4)]
pub struct Struct$i {
    /// The first
    pub a: $(of "$i"),
    /// The second
    pub b: $(of $((i + 1))),
    /// The third
    pub c: $(of $((i + 3))),
    /// The fourth
    pub d: $(of $((i + 6))),
    /// The fifth
    pub e: $(of $((i + 8))),
}
RUST
    done
  } >"$work/$1/src/lib.rs"
}

new ours "toolwright = { path = \"$root\" }\n" 'use serde::Deserialize; use toolwright::Schema;' 'Deserialize, Schema'
new schemars 'schemars = "1"\n' 'use schemars::JsonSchema; use serde::Deserialize;' 'Deserialize, JsonSchema'
new serde-alone '' 'use serde::Deserialize;' 'Deserialize'
forms=(serde-alone ours schemars)

declare -A best
for command in check build; do
  for form in "${forms[@]}"; do
    cargo "$command" -q --manifest-path "$work/$form/Cargo.toml" >&2
    best[$form $command]=999999
  done
  for round in 1 2 3 4 5; do
    for form in "${forms[@]}"; do
      echo "// $round $RANDOM" >>"$work/$form/src/lib.rs"
      start=$(date +%s%N)
      cargo "$command" -q --offline --manifest-path "$work/$form/Cargo.toml" >&2
      took=$((($(date +%s%N) - start) / 1000000))
      ((took < best[$form $command])) && best[$form $command]=$took
    done
  done
done

echo "$structs structs of five fields: milliseconds, shortest of 5"
echo "form          check   build"
for form in "${forms[@]}"; do
  printf '%-12s %6s %7s\n' "$form" "${best[$form check]}" "${best[$form build]}"
done

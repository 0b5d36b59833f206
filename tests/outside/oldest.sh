#!/usr/bin/env bash
# The oldest versions of the optional crates that `tool-schema/Cargo.toml` allows still compile.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# `url` first: its newer versions want a newer `smallvec`. So does `garde`, which is left out.
crates="url bigdecimal bytes camino chrono either indexmap jiff jiff02 ordered-float rust_decimal secrecy semver smallvec
  smol_str time uuid"
work=${CARGO_TARGET_DIR:-$root/target}/oldest
mkdir -p "$work/src"
cp "$root/Cargo.lock" "$work/"
: >"$work/src/lib.rs"
features=$(printf '"%s", ' $crates)
cat >"$work/Cargo.toml" <<END
[package]
name = "oldest"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
toolwright-schema = { path = "$root/tool-schema", features = [${features%, }] }
END
cd "$work"
for crate in $crates; do
  oldest=$(sed -n "s/^$crate = {.* version = \"\([0-9.]*\)\".*/\1/p" "$root/tool-schema/Cargo.toml")
  [[ $oldest ]]
  while [[ $oldest != *.*.* ]]; do oldest+=.0; done
  # Two versions of `jiff` are there.
  line=$(sed -E 's/^(0\.[0-9]+|[0-9]+).*/\1/' <<<"$oldest")
  cargo update -q -p "${crate%02}@$line" --precise "$oldest"
  echo "$crate $oldest"
done
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target} cargo check -q

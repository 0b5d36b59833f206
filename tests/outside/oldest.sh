#!/usr/bin/env bash
# The oldest versions of the optional crates that `tool-schema/Cargo.toml` allows still compile.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/oldest
mkdir -p "$work/src"
cp "$root/Cargo.lock" "$work/"
: >"$work/src/lib.rs"
cat >"$work/Cargo.toml" <<END
[package]
name = "oldest"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
toolwright-schema = { path = "$root/tool-schema", features = ["bytes", "chrono", "rust_decimal", "url", "uuid"] }
END
cd "$work"
for crate in bytes chrono rust_decimal url uuid; do
  oldest=$(sed -n "s/^$crate = { version = \"\([0-9.]*\)\".*/\1/p" "$root/tool-schema/Cargo.toml")
  [[ $oldest ]]
  while [[ $oldest != *.*.* ]]; do oldest+=.0; done
  cargo update -q -p "$crate" --precise "$oldest"
  echo "$crate $oldest"
done
CARGO_TARGET_DIR=$work/target cargo check -q

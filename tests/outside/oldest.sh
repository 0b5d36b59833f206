#!/usr/bin/env bash
# The oldest versions of the optional crates that `tool-schema/Cargo.toml` allows still compile.
#
#   tests/outside/oldest.sh           of the crates with types of their own
#   tests/outside/oldest.sh rusqlite  of `rusqlite`, below the store of sessions, whose tests run
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/outside/ran.sh"
if [[ ${1:-} == rusqlite ]]; then
  work=${CARGO_TARGET_DIR:-$root/target}/oldest-rusqlite
  mkdir -p "$work/src"
  cp "$root/Cargo.lock" "$work/"
  cp "$root/tests/outside/oldest_sqlite.rs" "$work/src/lib.rs"
  cat >"$work/Cargo.toml" <<END
[package]
name = "oldest-rusqlite"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
rusqlite = { version = "*", features = ["bundled"] }
tokio = { version = "1", features = ["macros", "rt"] }
toolwright-agent = { path = "$root/tool-agent", features = ["sqlite-unbundled"] }
END
  cd "$work"
  oldest=$(sed -n 's/^rusqlite = { version = ">=\([0-9.]*\),.*/\1.0/p' "$root/tool-agent/Cargo.toml")
  cargo update -q -p rusqlite --precise "$oldest"
  echo "rusqlite $oldest"
  CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target} ran 1 cargo test -q
  exit
fi
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

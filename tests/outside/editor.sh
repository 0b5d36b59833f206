#!/usr/bin/env bash
# Tools in an editor: rust-analyzer, built from its published crates below the target folder (20 minutes, once), opens a
# sample crate; editor.py asks it what an editor would. Needs Python 3 and the server of procedural macros that comes with
# the toolchain; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The newest that our compiler builds.
version=0.0.347
dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-editor
server=$dir/$version/bin/rust-analyzer
mkdir -p "$dir/sample/src"
if ! [[ -x $server ]]; then
  CARGO_TARGET_DIR=$dir/build CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0 \
    cargo install -q "ra_ap_rust-analyzer@$version" --locked --debug --root "$dir/$version"
fi
sysroot=$(rustc --print sysroot)
[[ -x $sysroot/libexec/rust-analyzer-proc-macro-srv ]]

cat >"$dir/sample/Cargo.toml" <<TOML
[package]
name = "sample"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
serde = { version = "1", features = ["derive"] }
toolwright = { path = "$PWD" }

[workspace]
TOML
cp Cargo.lock "$dir/sample/Cargo.lock"
for crate in core alloc std; do
  mkdir -p "$dir/library/$crate/src"
  cp tests/outside/editor_std.rs "$dir/library/$crate/src/lib.rs"
done
cp rust-toolchain.toml "$dir/sample/rust-toolchain.toml"
export CARGO_TARGET_DIR=$dir/target RUST_SRC_PATH=$dir/library
timeout 900 python3 tests/outside/editor.py "$server" "$dir/sample"
(cd "$dir/sample" && cargo check -q)

#!/usr/bin/env bash
# A lock in a package of its own, through the steps of a tool's life: a first version, an optional argument, and a break that is refused
# and then accepted.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
root=$PWD package=$target_dir/lock
rm -rf "$package"
mkdir -p "$package/src"
cat >"$package/Cargo.toml" <<END
[package]
name = "locked"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
toolwright = { path = "$root", default-features = false, features = ["lock", "serve"] }
# Fewer crates are built again.
toolwright-unify = { path = "$root/tests/unify" }
END
cp Cargo.lock "$package"
cd "$package"
cat >src/main.rs <<END
fn main() -> std::process::ExitCode {
    toolwright::serve::main(locked::all())
}
END
# What it needs is built beside the workspace's tests.
export CARGO_TARGET_DIR=$target_dir

version() {
  cat >src/lib.rs <<END
use toolwright::{tool, tools, Toolset};

/// Orders something.
#[tool]
pub fn order($1) -> String {
    format!("{count}{}", ${2:-0})
}

pub fn all() -> Toolset {
    tools![order]
}

#[test]
fn the_lock_is_up_to_date() {
    toolwright::lock!(all(), "tools.lock").check().unwrap();
}
END
}
passes() {
  "$@" >output 2>&1 || { cat output >&2; echo "failed: $*" >&2; exit 1; }
}
refuses() {
  local words=$1
  shift
  if "$@" >output 2>&1 || ! grep -q "$words" output; then
    cat output >&2
    echo "not refused with \"$words\": $*" >&2
    exit 1
  fi
}

version 'count: u32'
refuses "tools.lock was missing, and is written now" cargo test -q --lib
passes cargo test -q --lib
grep -q '^order [0-9a-f]\{16\}$' tools.lock
rm tools.lock
passes env TOOLS_LOCK=update cargo test -q --lib
passes cargo test -q --lib

version 'count: u32, note: Option<String>' 'note.unwrap_or_default()'
refuses "minor: \`order\`: it has new optional arguments: \`note\`" cargo test -q --lib
passes env TOOLS_LOCK=update cargo test -q --lib
passes cargo test -q --lib
cp tools.lock before

version 'count: u8, note: Option<String>' 'note.unwrap_or_default()'
refuses 'major: `order`: it refuses `{"count":256}` now: count: expected an integer from 0 to 255, got 256' cargo test -q --lib
refuses "TOOLS_LOCK=accept-major" env TOOLS_LOCK=update cargo test -q --lib
cmp tools.lock before
passes env TOOLS_LOCK=accept-major cargo test -q --lib
passes cargo test -q --lib
grep -q '"maximum":255' tools.lock

# The same by the program itself.
version 'count: u8'
refuses "a tool breaks those who use it" cargo run -q -- lock
refuses "a tool breaks those who use it" cargo run -q -- lock --update
passes cargo run -q -- lock --accept major
passes cargo run -q -- lock
grep -q "the tools are as the lock says" output
if grep '"note"' tools.lock; then
  echo "the entry has an argument that is gone" >&2
  exit 1
fi

echo '<<<<<<< ours' | cat - before >tools.lock
refuses "tools.lock:1 cannot be read" cargo test -q --lib
refuses "set it to" env TOOLS_LOCK=yes cargo test -q --lib
echo "a lock follows its tool"

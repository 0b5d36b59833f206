#!/usr/bin/env bash
# A lock in a package of its own, through the steps of a tool's life: a first version, an optional argument, a break that is refused, that
# does not compile, and that is accepted. Cargo has to see each: the file and `TOOLS_LOCK` are all that changes between some of them.
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
toolwright = { path = "$root", default-features = false, features = ["serve"] }
END
cp Cargo.lock "$package"
cd "$package"
touch tools.lock
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
    tools! { lock: "tools.lock"; order }
}

#[test]
fn the_lock_is_up_to_date() {
    toolwright::lock::check(&all()).unwrap_or_else(|error| panic!("{error}"));
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
refuses "the tool is new" cargo test -q
passes env TOOLS_LOCK=update cargo test -q
passes cargo test -q
grep -q '"order": "[0-9a-f]\{16\} [0-9]*"' tools.lock

version 'count: u32, note: Option<String>' 'note.unwrap_or_default()'
refuses "minor: \`order\`: \`note\` is new" cargo test -q
passes env TOOLS_LOCK=update cargo test -q
passes cargo test -q
cp tools.lock before

version 'count: u8, note: Option<String>' 'note.unwrap_or_default()'
refuses "\`count\` went up to 4294967295, and goes up to 255 now" cargo test -q
refuses "accept them, build with" env TOOLS_LOCK=update cargo test -q
cmp tools.lock before
passes env TOOLS_LOCK=accept-major cargo test -q
passes cargo test -q
grep -q '"maximum": 255' tools.lock

# The same by the program itself.
version 'count: u8'
refuses "these changes break those who call the tools" env TOOLS_LOCK=update cargo run -q -- lock
passes env TOOLS_LOCK=update cargo run -q -- lock --accept major
passes cargo run -q -- lock
grep -q "the tools are as the lock says" output
if grep '"note"' tools.lock; then
  echo "the entry has an argument that is gone" >&2
  exit 1
fi

echo '<<<<<<< ours' | cat - before >tools.lock
refuses "the lock file cannot be read" cargo test -q
refuses "set it to" env TOOLS_LOCK=yes cargo test -q
echo "a lock follows its tool"

#!/usr/bin/env bash
# How long `cargo check` and `cargo build` take for a crate of 100 tools with three arguments each,
# beside the form that a derive on one struct a tool needs. Dependencies are built before, so that
# the times are those of the crate alone; of five runs the shortest counts.
#
#   benches/compile_time.sh [TOOLS]      the table
#   benches/compile_time.sh TOOLS ir     the lines of LLVM IR alone, which are the same in every run
set -euo pipefail

tools=${1:-100}
root=$(cd "$(dirname "$0")/.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/compile-time
export CARGO_TARGET_DIR=$work/target
mkdir -p "$work"

# new NAME DEPENDENCIES: an empty crate beside the others, pinned like the workspace.
new() {
  mkdir -p "$work/$1/src"
  cp "$root/Cargo.lock" "$work/$1/Cargo.lock"
  printf '[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\n%b' "$1" "$2" >"$work/$1/Cargo.toml"
}

types=(String i64 bool u32 f64 "Option<String>" "Vec<String>" "Option<i64>")
of() { echo "${types[$((($1) % ${#types[@]}))]}"; }

new with-tool "toolwright = { path = \"$root\" }\n"
{
  echo 'use toolwright::{Toolset, tool, tools};'
  names=
  for i in $(seq "$tools"); do
    cat <<RUST
/// Tool number $i.
#[tool]
pub fn tool_$i(
    /// The first
    a: $(of "$i"),
    /// The second
    b: $(of $((i + 1))),
    /// The third
    c: $(of $((i + 3))),
) -> String {
    format!("{a:?} {b:?} {c:?}")
}
RUST
    names+="tool_$i, "
  done
  echo "pub fn all() -> Toolset { tools![$names] }"
} >"$work/with-tool/src/lib.rs"

new with-derive 'serde = { version = "1", features = ["derive"] }\nserde_json = "1"\nschemars = "1"\n'
{
  echo 'use schemars::JsonSchema; use serde::Deserialize;'
  cases= schemas=
  for i in $(seq "$tools"); do
    cat <<RUST
/// Tool number $i.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool$i {
    /// The first
    pub a: $(of "$i"),
    /// The second
    pub b: $(of $((i + 1))),
    /// The third
    pub c: $(of $((i + 3))),
}
pub fn tool_$i(Tool$i { a, b, c }: Tool$i) -> String {
    format!("{a:?} {b:?} {c:?}")
}
RUST
    cases+="\"tool_$i\" => tool_$i(serde_json::from_str(text)?),"
    schemas+="schemars::schema_for!(Tool$i),"
  done
  echo "pub fn call(name: &str, text: &str) -> serde_json::Result<String> { Ok(match name { $cases _ => String::new() }) }"
  echo "pub fn all() -> Vec<schemars::Schema> { vec![$schemas] }"
} >"$work/with-derive/src/lib.rs"

# shortest CRATE COMMAND: milliseconds of the shortest of five runs, of the crate alone.
shortest() {
  local best=999999 start end
  cargo "$2" -q --manifest-path "$work/$1/Cargo.toml" >&2
  for _ in 1 2 3 4 5; do
    echo "// $RANDOM" >>"$work/$1/src/lib.rs"
    start=$(date +%s%N)
    cargo "$2" -q --offline --manifest-path "$work/$1/Cargo.toml" >&2
    end=$(date +%s%N)
    local took=$(((end - start) / 1000000))
    ((took < best)) && best=$took
  done
  echo "$best"
}

# ir CRATE: lines of LLVM IR of the crate alone, without debug information.
ir() {
  cargo rustc -q --lib --release --manifest-path "$work/$1/Cargo.toml" -- --emit=llvm-ir -Ccodegen-units=1 -Cno-prepopulate-passes >&2
  cat "$CARGO_TARGET_DIR"/release/deps/"${1//-/_}"-*.ll | wc -l
  rm -f "$CARGO_TARGET_DIR"/release/deps/"${1//-/_}"-*.ll
}

if [[ ${2:-} == ir ]]; then
  ir with-tool
  exit
fi
echo "$tools tools of three arguments: milliseconds, shortest of 5, and lines of LLVM IR"
echo "form          check   build      IR"
for crate in with-tool with-derive; do
  printf '%-12s %6s %7s %7s\n' "$crate" "$(shortest "$crate" check)" "$(shortest "$crate" build)" "$(ir "$crate")"
done

#!/usr/bin/env bash
# Programs of another library beside the same with Toolwright, in benches/mcp: an MCP server on pipes of nine tools, a prompt and a
# resource (desk-rmcp), and an agent of four tools (agent-rig). Prints lines, crates, sizes, and user seconds of builds in pairs, one
# after the other. No step of .ci/run: nothing is judged.
#
#   benches/moved.sh [ROUNDS]      2 unless given
set -euo pipefail
cd "$(dirname "$0")/mcp"
rounds=${1:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo fetch -q --locked
# As for users, whose libraries are never built incrementally.
export CARGO_INCREMENTAL=0

lines() { grep -vcE '^\s*(//|$)' "$1/src/main.rs"; }
crates() { cargo tree -q --locked -p "$1" -e normal,build --prefix none | sed 's/ (\*)$//' | sort -u | grep -vc "^$1"; }
# built PROGRAM FOLDER ARGUMENTS…: the user seconds of a build.
built() {
  local program=$1 folder=$2 TIMEFORMAT=%U
  shift 2
  { time cargo build -q --locked --target-dir "$work/$folder-$program" -p "$program" "$@"; } 2>&1
}
clean() { built "$1" debug; }
again() {
  touch "$1/src/main.rs"
  built "$1" debug
}
release() { built "$1" release --release; }
size() { wc -c <"$work/release-$1/release/$1"; }
stripped() {
  strip -o "$work/stripped-$1" "$work/release-$1/release/$1"
  wc -c <"$work/stripped-$1"
}

for pair in "desk rmcp" "agent rig"; do
  read -r kind other <<<"$pair"
  row() {
    local name=$1
    shift
    echo "| $name | $("$@" "$kind-$other") | $("$@" "$kind-toolwright") |"
  }
  echo "| | $other | Toolwright |"
  echo "| --- | --- | --- |"
  row "lines, without the shop" lines
  row "crates" crates
  for round in $(seq "$rounds"); do
    rm -rf "${work:?}"/*
    row "clean debug build $round, user seconds" clean
    row "build after a change $round" again
    row "clean release build $round" release
  done
  row "bytes, release" size
  row "bytes, stripped" stripped
  echo
done

#!/usr/bin/env bash
# An MCP server on pipes of nine tools, a prompt and a resource, by rmcp's macros and by Toolwright's: benches/mcp/desk-*. Asks both
# the same, and prints lines, crates, sizes, and user seconds of builds in pairs, one after the other. No step of .ci/run.
#
#   benches/desk.sh [ROUNDS]      2 unless given
set -euo pipefail
cd "$(dirname "$0")/mcp"
rounds=${1:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo fetch -q --locked
# As for users, whose libraries are never built incrementally.
export CARGO_INCREMENTAL=0

# built SERVER FOLDER ARGUMENTS…: the user seconds of a build.
built() {
  local server=$1 folder=$2 TIMEFORMAT=%U
  shift 2
  { time cargo build -q --locked --target-dir "$work/$folder-$server" -p "desk-$server" "$@"; } 2>&1
}

# A file that is newer is built again.
again() {
  sleep 1
  touch "desk-$1/src/main.rs"
  built "$1" debug
}

echo "| | rmcp | Toolwright |"
echo "| --- | --- | --- |"
row() {
  local name=$1
  shift
  echo "| $name | $("$@" rmcp) | $("$@" toolwright) |"
}
lines() { grep -vcE '^\s*(//|$)' "desk-$1/src/main.rs"; }
crates() { cargo tree -q --locked -p "desk-$1" -e normal,build --prefix none | sed 's/ (\*)$//' | sort -u | grep -vc "^desk-"; }
row "lines of the server, without the shop" lines
row "crates" crates
for round in $(seq "$rounds"); do
  rm -rf "$work"/*
  clean() { built "$1" debug; }
  release() { built "$1" release --release; }
  row "clean debug build $round, user seconds" clean
  row "build after a change $round" again
  row "clean release build $round" release
done
size() { wc -c <"$work/release-$1/release/desk-$1"; }
stripped() {
  strip -o "$work/stripped-$1" "$work/release-$1/release/desk-$1"
  wc -c <"$work/stripped-$1"
}
row "bytes, release" size
row "bytes, stripped" stripped

# Each answers a client of 2025-06-18.
answers() {
  local call='{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n'
  local place='{"customer":"Ada","address":{"street":"1 A St","city":"Oslo","country":"NO"},"lines":[{"sku":"tea","quantity":2}],"day":"2026-01-31"}'
  {
    echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"1"}}}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    # shellcheck disable=SC2059
    printf "$call" 2 place_order "$place"
    sleep 1
    # shellcheck disable=SC2059
    printf "$call" 3 refund '{"id":"o-1","cents":50}'
    sleep 1
    # shellcheck disable=SC2059
    printf "$call" 4 report '{"from":"2026-01-01","to":"2026-01-31"}'
    sleep 1
  } | "$work/release-$1/release/desk-$1" | grep -o '"structuredContent":{.*"' | wc -l
}
row "answers of three calls with content" answers

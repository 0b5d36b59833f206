#!/usr/bin/env bash
# Calls per second of our MCP server beside those of one by rmcp's macros, over pipes and over HTTP: builds both, what is in
# benches/mcp/Cargo.lock, and prints a table; benches/README.md tells how it measures. No step of .ci/run: nothing is judged.
#
#   tests/outside/mcp_rate.sh [ROUNDS] [MILLISECONDS] [WAY]      so many turns of each server with each call (30), so long (100);
#                                                             only `stdio`, `HTTP`, `HTTP, 2026`
set -euo pipefail
cd "$(dirname "$0")/../.."

target=$(realpath -m "${CARGO_TARGET_DIR:-benches/mcp/target}")
# One after another, since cargo unites the features of what it builds together.
for package in mcp-toolwright mcp-rmcp mcp-rate; do
  cargo build -q --release --locked --manifest-path benches/mcp/Cargo.toml --target-dir "$target" -p "$package"
done
"$target/release/mcp-rate" "$target/release" "$@"

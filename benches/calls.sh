#!/usr/bin/env bash
# What Toolwright costs, beside what people write by hand: time, allocations and bytes. See README.md.
#
#   benches/calls.sh [MILLISECONDS] [GROUP…]      so long a group (400), the groups whose names start so (all)
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cargo build -q --release --manifest-path "$root/benches/Cargo.toml" --bin calls --bin calls-allocations
"${CARGO_TARGET_DIR:-$root/target}/release/calls" "$@"

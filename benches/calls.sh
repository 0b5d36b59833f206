#!/usr/bin/env bash
# What Toolwright costs, beside what people write by hand: time, allocations and bytes. See README.md.
#
#   benches/calls.sh [MILLISECONDS] [GROUP…]      so long a group (400), the groups whose names start so (all)
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cargo build -q --release --manifest-path "$root/benches/Cargo.toml" --bin calls --bin calls-allocations
# As the whole run does it: see "Time" in README.md.
export MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_MMAP_THRESHOLD_=33554432
"${CARGO_TARGET_DIR:-$root/target}/release/calls" "$@"

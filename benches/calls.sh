#!/usr/bin/env bash
# What a call costs, from the arguments' text to the answer's, beside what people write without us:
# time, allocations and bytes. See README.md.
#
#   benches/calls.sh [ROUNDS]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cargo build -q --release --manifest-path "$here/Cargo.toml"
"${CARGO_TARGET_DIR:-$here/target}/release/calls" "$@"

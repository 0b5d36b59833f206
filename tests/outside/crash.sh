#!/usr/bin/env bash
# Kills programs in the midst of an agent's run, with SIGKILL and at random moments, and goes on with
# what is left in the SQLite file: 200 sessions, or as many as the first argument says. In each, no
# effect happens twice that is not declared idempotent, none is lost, every checkpoint can be read,
# and of two programs that go on from the same checkpoint one meets a conflict. The second argument
# is a seed. Needs only Rust.
set -euo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-200}
seed=${2:-$RANDOM}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cargo build -q --example crash
echo "seed $seed"
"${CARGO_TARGET_DIR:-target}/debug/examples/crash" "$runs" "$seed" "$dir"

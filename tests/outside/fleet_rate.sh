#!/usr/bin/env bash
# Speeds of a fleet beside those of one machine, as a table and one line of JSON: a local call beside one by MCP and one by the fleet,
# conversations a second with 1 to 8 workers, stores of sessions. Nothing is judged. All of it shares the cores of this machine, so more
# workers than cores show contention, and not what more machines do.
#
#   tests/outside/fleet_rate.sh [short]    `short` is a minute or two, and shows that all of it works
set -euo pipefail
cd "$(dirname "$0")/../.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
# The short form judges no speed, so it takes what the tests have built.
profile=release
[[ ${1:-} != short ]] || profile=dev
cargo build -q --profile $profile -p toolwright-fleet --all-features --example rate
# With a file, the server waits for its disk most of the time, and the disk would be measured.
TEMPORAL_IN_MEMORY=1 exec tests/outside/postgres.sh tests/outside/fleet.sh "$target/${profile/#dev/debug}/examples/rate" "$@"

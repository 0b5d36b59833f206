#!/usr/bin/env bash
# Conversations of a fleet of 8 workers while they are killed, stopped past their lease and cut off, and Postgres and Temporal are
# restarted, and a new version of the tools, with a renamed argument, is deployed worker by worker. Prints one line of JSON, and fails if a call was lost or done twice.
#
#   tests/outside/fleet_faults.sh CALLS [SEED [SECONDS]]    after so many seconds no conversation begins
set -euo pipefail
cd "$(dirname "$0")/../.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
calls=${1:?how many calls}
# A few take what the tests have built. Many need workers that start quickly.
profile=release
((calls > 100)) || profile=dev
cargo build -q --profile $profile -p toolwright-fleet --all-features --example faults
exec tests/outside/postgres.sh tests/outside/fleet.sh "$target/${profile/#dev/debug}/examples/faults" drive "$calls" "${2:-1}" "${@:3}"

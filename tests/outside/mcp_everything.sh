#!/usr/bin/env bash
# Our MCP client with servers of others, from npm: the protocol's reference server, `server-everything`, as a process and
# over HTTP, and two that people use, `server-filesystem` and `server-memory` of `@modelcontextprotocol`; and two of November
# 2024, `server-memory` and `server-sequential-thinking` 0.6.2. Needs npm; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/ran.sh

version=2026.8.31
dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-mcp-everything
all=$dir/node_modules/@modelcontextprotocol
package=$all/server-everything
node=$(bash tests/outside/node.sh)
mkdir -p "$dir"
if [[ $(grep -ls "\"version\": \"$version\"" "$all"/server-{everything,filesystem,memory}/package.json | wc -l) != 3 ]]; then
  rm -rf "$dir/node_modules"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" \
    "@modelcontextprotocol/server-"{everything,filesystem,memory}"@$version"
fi
old=0.6.2 old_dir=$dir/2024
mkdir -p "$old_dir"
old_all=$old_dir/node_modules/@modelcontextprotocol
if [[ $(grep -ls "\"version\": \"$old\"" "$old_all"/server-{memory,sequential-thinking}/package.json | wc -l) != 2 ]]; then
  rm -rf "$old_dir/node_modules"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$old_dir" \
    "@modelcontextprotocol/server-"{memory,sequential-thinking}"@$old"
fi

log=$dir/log
# The server takes a port, and does not say which one it got.
port=$("$node" -e 'const s = require("net").createServer(); s.listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
PORT=$port "$node" "$package/dist/index.js" streamableHttp >"$log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 150); do
  if grep -q "listening on port" "$log" || ! kill -0 "$server" 2>/dev/null; then break; fi
  sleep 0.2
done
if ! grep -q "listening on port" "$log"; then
  cat "$log"
  echo "the server did not start"
  exit 1
fi

TOOLWRIGHT_NODE=$node TOOLWRIGHT_EVERYTHING=$package/dist/index.js \
  TOOLWRIGHT_EVERYTHING_URL=http://127.0.0.1:$port/mcp \
  TOOLWRIGHT_MCP_SERVERS=$all TOOLWRIGHT_MCP_SERVERS_2024=$old_all \
  ran 6 cargo test -q --test mcp_everything

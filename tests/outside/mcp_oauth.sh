#!/usr/bin/env bash
# Access tokens of another's authorization server, npm's `oauth2-mock-server`: the example `authorized` lets the right ones in,
# and our client gets them. Needs npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
node=$(bash tests/outside/node.sh)
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")

version=9.3.0
dir=$target/outside-oauth
mkdir -p "$dir"
if ! grep -qs "\"version\": \"$version\"" "$dir/node_modules/oauth2-mock-server/package.json"; then
  rm -rf "$dir/node_modules"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "oauth2-mock-server@$version"
fi

cargo build -q --example authorized --example oauth_client
timeout 120 "$node" tests/outside/mcp_oauth.mjs "$dir/node_modules" \
  "$target/debug/examples/authorized" "$target/debug/examples/oauth_client"

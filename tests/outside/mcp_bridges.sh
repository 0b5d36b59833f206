#!/usr/bin/env bash
# Our MCP client and the example `everything`, with programs of others between them, from npm: `mcp-remote` and `supergateway`
# make pipes of a URL, `supergateway` (with sessions and without) and `mcp-proxy` make a URL of pipes. One after the other, since
# they start many processes. Needs npm; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/ran.sh

dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-mcp-bridges
node=$(bash tests/outside/node.sh)
mkdir -p "$dir"
for package in mcp-remote@0.15.1 supergateway@4.0.0 mcp-proxy@6.7.19; do
  name=${package%@*}
  if ! grep -qs "\"version\": \"${package#*@}\"" "$dir/$name/node_modules/$name/package.json"; then
    rm -rf "${dir:?}/$name"
    mkdir -p "$dir/$name"
    npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir/$name" "$package"
  fi
done

cargo build -q --example everything
TOOLWRIGHT_NODE=$node TOOLWRIGHT_BRIDGES=$dir \
  TOOLWRIGHT_EVERYTHING=$(realpath -m "${CARGO_TARGET_DIR:-target}")/debug/examples/everything \
  ran 5 cargo test -q --test mcp_bridges -- --test-threads=1

#!/usr/bin/env bash
# Clients of others with `everything`, over a process and over HTTP: PyPI's `mcp` and `fastmcp`, the TypeScript SDK's client,
# npm's `@modelcontextprotocol/client`, also in Chromium, that SDK's first client, `@modelcontextprotocol/sdk` 1.0.1, and the
# Inspector's command line, `@modelcontextprotocol/inspector`. Needs Python, npm and Chromium; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."
node=$(bash tests/outside/node.sh)
source tests/outside/everything.sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
venv=$target/outside-mcp-python
if ! cmp -s tests/outside/requirements_mcp.txt "$venv/installed"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r tests/outside/requirements_mcp.txt
  cp tests/outside/requirements_mcp.txt "$venv/installed"
fi
"$venv/bin/python" tests/outside/mcp_clients.py "$everything" "$url/mcp"
"$venv/bin/python" tests/outside/mcp_fastmcp.py "$everything"

version=2.4.0
dir=$target/outside-mcp-typescript
mkdir -p "$dir"
if ! grep -qs "\"version\": \"$version\"" "$dir/node_modules/@modelcontextprotocol/client/package.json"; then
  rm -rf "$dir/node_modules"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" \
    "@modelcontextprotocol/client@$version"
fi
timeout 120 "$node" tests/outside/mcp_client.mjs "$dir/node_modules" "$everything" "$url/mcp"

version=1.0.1
dir=$target/outside-mcp-2024
mkdir -p "$dir"
if ! grep -qs "\"version\": \"$version\"" "$dir/node_modules/@modelcontextprotocol/sdk/package.json"; then
  rm -rf "$dir/node_modules"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "@modelcontextprotocol/sdk@$version"
fi
timeout 120 "$node" tests/outside/mcp_client_2024.mjs "$dir/node_modules" "$everything"

version=2.12.0
dir=$target/outside-inspector
package=$dir/node_modules/@modelcontextprotocol/inspector
mkdir -p "$dir"
if ! grep -qs "\"version\": \"$version\"" "$package/package.json"; then
  rm -rf "$dir/node_modules"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" \
    "@modelcontextprotocol/inspector@$version"
fi
program=$package/$("$node" -p "Object.values(require('$package/package.json').bin)[0]")

# What the Inspector prints holds this text.
shows() {
  local words=$1 said
  shift
  said=$("$node" "$program" --cli "$@")
  if [[ $said != *"$words"* ]]; then
    printf 'the Inspector did not show %s, but:\n%s\n' "$words" "$said"
    return 1
  fi
}
for server in "$everything stdio" "$url/mcp"; do
  # Two words are a program and its argument.
  # shellcheck disable=SC2086
  shows '"name": "test_simple_text"' $server --method tools/list
  # shellcheck disable=SC2086
  shows '"text": "3"' $server --method tools/call --tool-name add --tool-arg a=1 b=2
  echo "the Inspector, $server: all as it should be"
done

# The TypeScript SDK's client in a browser, on a page of another origin.
client=$target/outside-mcp-typescript/node_modules
source tests/outside/browser.sh
cargo build -q --example serve
cp tests/outside/mcp_browser.mjs "$dir/mcp_browser.mjs"
timeout 120 "$node" "$dir/mcp_browser.mjs" "$client" "$target/debug/examples/serve"

#!/usr/bin/env bash
# The official conformance suite of MCP, npm's `@modelcontextprotocol/conformance`, against `everything http`: each
# scenario of each version of the protocol passes, but for those in mcp_failures.yaml, which fail. And against our
# client: each scenario passes but those of extensions that it does not have. Needs npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
node=$(bash tests/outside/node.sh)
source tests/outside/everything.sh

# The suite of this version, below the target folder.
installed() {
  local dir package
  dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-conformance-$1
  package=$dir/node_modules/@modelcontextprotocol/conformance
  if ! grep -qs "\"version\": \"$1\"" "$package/package.json"; then
    rm -rf "$dir"
    mkdir -p "$dir"
    npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" \
      "@modelcontextprotocol/conformance@$1"
  fi
  echo "$package"
}

failed=0
# The version of the suite, and what is run of it.
suite() {
  local package log
  package=$(installed "$1")
  shift
  log=$(mktemp)
  if ! "$node" "$package/dist/index.js" server --url "$url/mcp" --suite all \
    --expected-failures tests/outside/mcp_failures.yaml "$@" >"$log" 2>&1; then
    failed=1
    cat "$log"
  fi
  # How many checks passed; a suite that ran nothing has shown nothing.
  grep -E '^Total: [1-9][0-9]* passed' "$log" || failed=1
  rm -f "$log"
}

suite 0.1.16
for version in 2025-06-18 2025-11-25 2026-07-28; do
  suite 0.2.0-alpha.12 --spec-version "$version"
done

package=$(installed 0.2.0-alpha.12)
cargo build -q --example conformance_client
client=$(realpath -m "${CARGO_TARGET_DIR:-target}")/debug/examples/conformance_client
ran=0
for scenario in $("$node" "$package/dist/index.js" list --client | sed -n 's/^  - \([^ ]*\) .*/\1/p'); do
  case $scenario in
    # Tokens that are bound to a key, tokens of a company's identity provider or of a workload, and skills.
    auth/dpop | auth/dpop-nonce | auth/enterprise-managed-authorization | auth/wif-jwt-bearer | sep-2640-*) continue ;;
  esac
  log=$(mktemp)
  if timeout 60 "$node" "$package/dist/index.js" client --command "$client" --scenario "$scenario" >"$log" 2>&1; then
    ran=$((ran + 1))
  else
    failed=1
    cat "$log"
    echo "the client failed in $scenario"
  fi
  rm -f "$log"
done
echo "the client: $ran scenarios passed"
((ran >= 40)) || failed=1
exit "$failed"

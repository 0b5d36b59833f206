#!/usr/bin/env bash
# Agents that speak over HTTP with another's imitation of OpenAI, Anthropic, Gemini and Ollama: npm's
# `@copilotkit/aimock`, installed below the target folder and started on the loopback. Whole and
# streamed answers, and all faults that it knows. Needs node 20.15 or later, and npm; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/ran.sh

version=1.43.0
dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-aimock
package=$dir/node_modules/@copilotkit/aimock
mkdir -p "$dir"
if ! grep -qs "\"version\": \"$version\"" "$package/package.json"; then
  rm -rf "$dir/node_modules"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "@copilotkit/aimock@$version"
fi

log=$dir/log
# A small piece at a time, so that streams have many. What no fixture names is an error.
node "$package/dist/cli.js" --port 0 --fixtures tests/outside/aimock.json --validate-on-load --strict \
  --chunk-size 7 --log-level info >"$log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT

url=
for _ in $(seq 150); do
  url=$(sed -n 's/.*listening on \(http:[^ ]*\).*/\1/p' "$log")
  if [[ -n $url ]] || ! kill -0 "$server" 2>/dev/null; then break; fi
  sleep 0.2
done
if [[ -z $url ]]; then
  cat "$log"
  echo "aimock did not start"
  exit 1
fi
TOOLWRIGHT_AIMOCK=$url ran 6 cargo test -q --test aimock

#!/usr/bin/env bash
# The page that tries tools, in headless Chromium: Debian's package, driven by npm's `playwright-core`,
# which is installed below the target folder. The pictures that it takes stay there, to be looked at.
# Needs node 20 or later, npm, and Chromium or the right to install it; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=1.65.1
dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-page
mkdir -p "$dir"
if ! grep -qs "\"version\": \"$version\"" "$dir/node_modules/playwright-core/package.json"; then
  rm -rf "$dir/node_modules"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "playwright-core@$version"
fi
if ! [[ -x /usr/bin/chromium ]]; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium
fi

. tests/outside/serve.sh
start_serve serve

cp tests/outside/page.mjs "$dir/page.mjs"
timeout 120 node "$dir/page.mjs" "$url" "$dir"

#!/usr/bin/env bash
# The page that tries tools, in headless Chromium. The pictures that it takes stay below the target folder, to be looked at.
set -euo pipefail
cd "$(dirname "$0")/../.."

. tests/outside/browser.sh
. tests/outside/serve.sh
start_serve serve

cp tests/outside/page.mjs "$dir/page.mjs"
timeout 120 node "$dir/page.mjs" "$url" "$dir"

#!/usr/bin/env bash
# The guide in headless Chromium: navigation, search, the width of a phone, dark and light. The pictures that it takes stay
# below the target folder, to be looked at.
set -euo pipefail
cd "$(dirname "$0")/../.."

. tests/outside/browser.sh
# The packages of the call in `.ci/run` that tests the guide, so nothing is built again.
cargo test -q -p toolwright-book -p toolwright-evals -p toolwright-rmcp --no-run
index=$("${CARGO_TARGET_DIR:-target}/debug/toolwright-book")

cp tests/outside/guide.mjs "$dir/guide.mjs"
timeout 120 node "$dir/guide.mjs" "$(dirname "$index")" "$dir"

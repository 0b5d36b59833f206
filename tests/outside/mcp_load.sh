#!/usr/bin/env bash
# Our MCP server under load on the loopback, in a process of its own: 2,000 calls beside 500 idle sessions, and
# what memory is left of them; 2,000 calls over a pipe; a body and a line of 128 MiB. Linux alone, since memory is
# read from /proc. Rates are printed and not judged: they are those of a build without optimisation.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/ran.sh

ran 10 cargo test -q --test mcp_load -- --nocapture --test-threads 1

#!/usr/bin/env bash
# Features compile alone and in pairs, without a warning. Those of the facade that only switch on one of a package below are
# checked there.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
tool cargo-hack 0.6.46

# Types of other crates, and ways to TLS: one group each, since they have nothing to do with each other.
types=bytes,chrono,rust_decimal,url,uuid
tls=rustls,rustls-no-provider,native-tls
pairs() {
  cargo hack clippy -q -p "$1" --feature-powerset --depth 2 "${@:2}" --no-deps -- -D warnings
}
pairs toolwright-schema --group-features $types
pairs toolwright-runtime --group-features $types
pairs toolwright-testing
pairs toolwright-agent
pairs toolwright-mcp --group-features $tls
pairs toolwright --exclude-features default,mcp,tower,tracing,validate,$types

#!/usr/bin/env bash
# Features compile alone and in pairs, without a warning. Those of the facade that only switch on one of a package below are
# checked there.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
tool cargo-hack 0.6.46

# Types of other crates, and ways to TLS: one group each, since they have nothing to do with each other.
types=$(sed -n 's/^\([a-z0-9_-]*\) = \["dep:\1"\]$/\1/p' tool-schema/Cargo.toml | grep -Ev '^(garde|schemars|tracing)$' | paste -sd,)
[[ $types == *,uuid ]]
tls=rustls,rustls-no-provider,native-tls
hack() {
  cargo hack clippy -q -p "$1" "${@:2}" --no-deps -- -D warnings
}
pairs() {
  hack "$1" --feature-powerset --depth 2 "${@:2}"
}
hack toolwright-schema --each-feature
pairs toolwright-schema --group-features "$types"
pairs toolwright-runtime --group-features "$types"
pairs toolwright-testing
pairs toolwright-agent
pairs toolwright-mcp --group-features $tls
pairs toolwright --exclude-features "default,mcp,tower,tracing,$types"

#!/usr/bin/env bash
# Licences, banned crates and sources of the workspace and of what users build beside it, by deny.toml. Advisories are
# checked by the forge's workflow, since their database is not in a registry of packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
tool cargo-deny 0.20.2

for manifest in Cargo.toml integrations/*/Cargo.toml; do
  cargo deny --manifest-path "$manifest" check --config deny.toml licenses bans sources
done

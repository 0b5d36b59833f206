#!/usr/bin/env bash
# Licences, banned crates and sources by deny.toml, of the workspace and of every lock file beside it. Advisories are
# checked by the forge's workflow, since their database is not in a registry of packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
tool cargo-deny 0.20.2

git ls-files '*Cargo.lock' | while read -r lock; do
  echo "$lock"
  cargo deny --config deny.toml --manifest-path "${lock%.lock}.toml" --workspace check licenses bans sources
done

#!/usr/bin/env bash
# Every feature, alone and with each other one, compiles. The features for types of other crates are one group, since they
# have nothing to do with each other.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
tool cargo-hack 0.6.46

types=$(sed -n 's/^\([a-z0-9_]*\) = \["toolwright-runtime\/\1"\]$/\1/p' Cargo.toml | grep -Ev '^(schemars|tokio|tower|tracing|validate)$' | paste -sd,)
[[ $types == *chrono* ]]
for package in toolwright-schema toolwright-runtime toolwright-mcp toolwright-agent toolwright; do
  groups=()
  case $package in toolwright | toolwright-runtime | toolwright-schema) groups=(--group-features "$types") ;; esac
  cargo hack check -q -p $package --feature-powerset --depth 2 "${groups[@]}"
done

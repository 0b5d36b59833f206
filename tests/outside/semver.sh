#!/usr/bin/env bash
# What changed of the public API since a revision, by the rules of Semantic Versioning: `semver.sh v0.1.0`.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
tool cargo-semver-checks 0.51.0

baseline=${1:?"which revision is the baseline?"}
for package in toolwright toolwright-testing; do
  cargo semver-checks -p "$package" --all-features --baseline-rev "$baseline"
done

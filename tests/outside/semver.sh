#!/usr/bin/env bash
# What changed of the public API since a revision, by the rules of Semantic Versioning: `semver.sh v0.1.0`. It does not follow
# re-exports to other packages. Of those, public_api.sh compares the names that the facade has, and nothing compares signatures.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
tool cargo-semver-checks 0.51.0

baseline=${1:?"which revision is the baseline?"}
cargo semver-checks -p toolwright -p toolwright-testing -p toolwright-evals -p toolwright-lock -p toolwright-agent -p toolwright-mcp -p toolwright-serve \
  --all-features --baseline-rev "$baseline"

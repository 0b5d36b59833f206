#!/usr/bin/env bash
# What the dialects make of every type, held against the code of others: the strict helpers of
# openai and anthropic, Google's types, and two libraries that hold a model to a schema. Each says
# which differences it knows, and why; it fails at any other, and at one that is no more.
set -euo pipefail
cd "$(dirname "$0")/../.."

. tests/outside/python.sh
. tests/outside/ran.sh

lowered=$venv/lowered.jsonl
rm -f "$lowered"
TOOLWRIGHT_LOWERED=$lowered ran 1 cargo test -q -p toolwright-oracles \
  --test it schemas::lowered::what_is_lowered_is_json
for judge in openai_strict gemini_types anthropic_transform llguidance_grammar xgrammar_grammar; do
  "$python" "tests/outside/$judge.py" "$lowered"
done

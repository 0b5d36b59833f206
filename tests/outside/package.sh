#!/usr/bin/env bash
# What is published: files and metadata of each package, and that the archives can be made. `package.sh verify` also
# builds each from its archive, with the others' archives as its dependencies. Needs Python 3.11.
set -euo pipefail
cd "$(dirname "$0")/../.."

python3 tests/outside/package.py
verify=(--no-verify)
if [[ ${1:-} == verify ]]; then verify=(); fi
# Cargo leaves out what is never published, but for a name.
unpublished=$(cargo metadata --no-deps --format-version=1 |
  python3 -c 'import json, sys; print(*(p["name"] for p in json.load(sys.stdin)["packages"] if p["publish"] == []))')
cargo package -q --workspace $(printf -- '--exclude %s ' $unpublished) --allow-dirty "${verify[@]}"

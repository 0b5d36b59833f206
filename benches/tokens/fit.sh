#!/usr/bin/env bash
# Makes the table of `tool-schema/src/tokens.rs` anew, and says how good it is: for another vocabulary, or other classes.
# It needs Python and takes about five minutes.
#
#   benches/tokens/fit.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(realpath -m "${CARGO_TARGET_DIR:-target}")/tokens
mkdir -p "$work"
if ! cmp -s benches/tokens/requirements.txt "$work/installed"; then
  rm -rf "$work/venv" "$work/unpacked"
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check -r benches/tokens/requirements.txt
  # Texts: definitions of tools, translations, code.
  "$work/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$work/wheels" \
    bfcl-eval==2026.3.23 tooluniverse==1.5.7 Django==5.2.8 Sphinx==8.2.3
  for wheel in "$work"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$work/unpacked"; done
  python3 tests/outside/search.py "$work/unpacked" "$work"
  cp benches/tokens/requirements.txt "$work/installed"
fi
# The vocabularies that the feature `tokens` has.
crate=$(cargo metadata --format-version 1 --features tokens | python3 -c '
import json, os, sys
print(next(os.path.dirname(one["manifest_path"]) for one in json.load(sys.stdin)["packages"] if one["name"] == "bpe-openai"))')
"$work/venv/bin/python" benches/tokens/fit.py "$work" "$crate/data"

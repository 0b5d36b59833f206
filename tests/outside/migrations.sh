#!/usr/bin/env bash
# The tools of the pages about migrations, docs/book/pages/migrate, with the other library and with Toolwright: those of
# pydantic-ai and FastMCP run here and print what they answer, and the tests of docs/migrations compare. Needs Python; fails
# without. `BLESS=1` writes what the pages include. The tests of the other bridges run in the same call, since rig shares their features.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/ran.sh

venv=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-migrations
if ! cmp -s tests/outside/requirements_migrations.txt "$venv/installed"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r tests/outside/requirements_migrations.txt
  cp tests/outside/requirements_migrations.txt "$venv/installed"
fi

# Each prints JSON; what FastMCP logs about bad calls is shown only if it fails.
for library in pydantic_ai fastmcp; do
  printed=$venv/$library.json
  rm -f "$printed"
  "$venv/bin/python" -B "docs/migrations/python/${library}_tools.py" >"$printed" 2>"$venv/$library.log" || {
    cat "$venv/$library.log" >&2
    exit 1
  }
done

TOOLWRIGHT_MIGRATIONS=$venv ran 57+ cargo test -q -p toolwright-migrations -p toolwright-rig -p toolwright-async-openai \
  -p toolwright-genai -- --include-ignored

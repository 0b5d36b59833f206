#!/usr/bin/env bash
# The forge's workflows and issue forms, by their JSON Schemas. Needs Python; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-workflows
version=0.39.0
if ! "$venv/bin/check-jsonschema" --version 2>/dev/null | grep -q "$version"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "check-jsonschema==$version"
fi
check() {
  "$venv/bin/check-jsonschema" --builtin-schema "vendor.$1" "${@:2}"
}
check github-workflows .github/workflows/*.yml
check github-issue-config .github/ISSUE_TEMPLATE/config.yml
check github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/provider.yml

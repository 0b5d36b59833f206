#!/usr/bin/env bash
# The forge's workflows and forms: by their JSON Schemas, and by zizmor, which looks for permissions and secrets that go
# further than they have to. Needs Python 3; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-workflows
tools="check-jsonschema==0.39.0 zizmor==1.32.0"
if [[ $(cat "$venv/installed" 2>/dev/null) != "$tools" ]]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  # shellcheck disable=SC2086
  "$venv/bin/pip" install --quiet --disable-pip-version-check $tools
  echo "$tools" >"$venv/installed"
fi
check() {
  "$venv/bin/check-jsonschema" --builtin-schema "vendor.$1" "${@:2}"
}
check github-workflows .github/workflows/*.yml
check github-issue-config .github/ISSUE_TEMPLATE/config.yml
check github-issue-forms $(ls .github/ISSUE_TEMPLATE/*.yml | grep -v /config.yml)
"$venv/bin/zizmor" --quiet --offline --min-severity medium .github/workflows

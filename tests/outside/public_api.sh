#!/usr/bin/env bash
# The public API of the facade and of `toolwright-testing`, as texts in docs/api that are reviewed like golden files.
# `BLESS=1` writes them. It reads rustdoc's JSON, whose form changes with the nightly, so that is pinned with the tool.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
tool cargo-public-api 0.52.0

# The toolchain of a day is built from the commits of the day before.
nightly=nightly date=2026-05-19
if [[ $(rustc +nightly --version 2>&1) != *$date* ]]; then
  nightly=nightly-2026-05-20
  rustup toolchain install "$nightly" --profile minimal || {
    echo "the texts in docs/api are those of $nightly, which is not here and cannot be installed" >&2
    exit 1
  }
fi
mkdir -p docs/api
for package in toolwright toolwright-testing; do
  found=$target_dir/public-api-$package.txt
  cargo "+$nightly" public-api -p "$package" --all-features -sss >"$found"
  if [[ ${BLESS:-} ]]; then cp "$found" "docs/api/$package.txt"; fi
  diff -u "docs/api/$package.txt" "$found" || {
    echo "the public API of $package changed; if it is meant: BLESS=1 $0" >&2
    exit 1
  }
done

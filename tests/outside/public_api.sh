#!/usr/bin/env bash
# The public API, as texts in docs/api that are reviewed like golden files: of the facade, of the packages that it re-exports
# whole, and of what it re-exports by name from packages whose modules are hidden. `BLESS=1` writes them. It reads rustdoc's
# JSON, whose form changes with the nightly, so that is pinned with the tool.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/tool.sh
tool cargo-public-api 0.52.0

# The toolchain of a day is built from the commits of the day before.
nightly=nightly date=2026-05-19
if [[ $(rustc +nightly --version 2>&1) != *$date* ]]; then
  nightly=nightly-2026-05-20
  rustup toolchain install "$nightly" --profile minimal || {
    echo "the texts in docs/api are made with $nightly, which is not here and cannot be installed" >&2
    exit 1
  }
fi

found=$target_dir/public-api
rm -rf "$found"
mkdir -p docs/api "$found"
api() {
  cargo "+$nightly" public-api -p "$1" --all-features -sss
}
# Items of the types, traits and functions that the facade names. Hidden methods of these are among them: what one package
# lends to another.
named() {
  awk 'NR == FNR { if ($2 == "use") { sub(/.*::/, ""); names[$0] } next }
    /__/ || !match($0, /toolwright_[a-z]+(::[A-Za-z0-9_]+)+/) { next }
    {
      count = split(substr($0, RSTART, RLENGTH), path, "::")
      for (i = 1; i <= count; i++)
        if (path[i] in names && (i == count || path[i] ~ /^[A-Z]/)) { print; next }
    }' "$found/toolwright.txt" -
}
for package in toolwright toolwright-{testing,lock,agent,mcp,serve}; do
  api "$package" >"$found/$package.txt"
done
for package in toolwright-{schema,provider,runtime}; do
  RUSTDOCFLAGS="-Z unstable-options --document-hidden-items" api "$package" | named >"$found/$package.txt"
  [[ -s $found/$package.txt ]]
done
if [[ ${BLESS:-} ]]; then cp "$found"/*.txt docs/api/; fi
diff -ru docs/api "$found" || {
  echo "the public API changed; if it is meant: BLESS=1 $0" >&2
  exit 1
}

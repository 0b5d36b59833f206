# Sourced from the root of the project: sets `dir` to a folder that has npm's `playwright-core`, and installs Debian's Chromium
# where there is none. Needs node 20 or later, npm, and Chromium or the right to install it; fails without.
version=1.65.1
dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")/outside-page
mkdir -p "$dir"
if ! grep -qs "\"version\": \"$version\"" "$dir/node_modules/playwright-core/package.json"; then
  rm -rf "$dir/node_modules"
  npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$dir" "playwright-core@$version"
fi
if ! [[ -x /usr/bin/chromium ]]; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium
fi

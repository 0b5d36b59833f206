# Sourced from the root of the project: `$python` has the packages of requirements.txt, below the
# target folder. Fails where they cannot be installed.
target_dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")
venv=$target_dir/outside
python=$venv/bin/python
mkdir -p "$target_dir"

# The list is complete; PyTorch, which xgrammar asks for, is left out of it.
if ! cmp -s tests/outside/requirements.txt "$venv/installed"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r tests/outside/requirements.txt
  cp tests/outside/requirements.txt "$venv/installed"
fi

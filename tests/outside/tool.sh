# Sourced from the root of the project: `tool NAME VERSION` installs a command of cargo's below the target folder, built from its
# own lock file, and puts it in the PATH. Fails if it cannot.
target_dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")
PATH=$target_dir/cargo-tools/bin:$PATH
tool() {
  if ! grep -qs "^\"$1 $2 " "$target_dir/cargo-tools/.crates.toml"; then
    cargo install -q "$1" --version "$2" --locked --root "$target_dir/cargo-tools" --target-dir "$target_dir/install"
  fi
}

#!/usr/bin/env bash
# Other platforms than the one at hand. Runs tests where pointers have 32 bits: those about what is counted and kept. Checks
# that Windows, macOS and WebAssembly compile without a warning: all features on the first two, on the third the default ones
# and agents.
#
#   tests/outside/targets.sh [narrow | others | all]    only the first, only the second; `all` runs every test with 32 bits
#                                                       that needs no features
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/outside/ran.sh

target_dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export RUST_BACKTRACE=0

rustup target add --toolchain "$(rustup show active-toolchain | cut -d' ' -f1)" \
  i686-unknown-linux-musl x86_64-pc-windows-gnu aarch64-apple-darwin wasm32-unknown-unknown

if [[ ${1:-} != others ]]; then
  echo "-- 32 bits"
  # The linker that comes with Rust, and the C library that comes with the target.
  export CARGO_TARGET_I686_UNKNOWN_LINUX_MUSL_LINKER=rust-lld
  narrow() {
    ran "$1" cargo test -q --target i686-unknown-linux-musl -p toolwright --no-default-features "${@:2}"
  }
  if [[ ${1:-} == all ]]; then
    narrow 400+ --tests
  else
    # The executor is there by its feature alone.
    narrow 151+ --features tokio --test it -- arguments:: bad_calls:: definition_bytes:: executor:: invariant:: json_texts:: \
      payloads:: recursion:: serde_attributes:: short_str:: wire_streams::
  fi
fi
if [[ ${1:-} == narrow ]]; then exit; fi

# Nothing is linked in a check, so the C of SQLite and of TLS may come to nothing.
mkdir -p "$target_dir"
nothing=$target_dir/no-c-compiler
cat >"$nothing" <<'SH'
#!/usr/bin/env bash
while (($#)); do
  if [[ $1 == -o ]]; then
    : >"$2"
  elif [[ $1 == *.a ]]; then
    : >"$1"
  fi
  shift
done
SH
chmod +x "$nothing"
export RUSTFLAGS="-D warnings"
for target in x86_64-pc-windows-gnu aarch64-apple-darwin; do
  echo "-- $target"
  export "CC_${target//-/_}=$nothing" "AR_${target//-/_}=$nothing"
  cargo check -q --target "$target" -p toolwright --lib --all-features
done
echo "-- wasm32-unknown-unknown"
cargo check -q --target wasm32-unknown-unknown -p toolwright --lib --features agent

#!/usr/bin/env bash
# All targets of fuzz/ at once, for a minute, or for as many seconds as the first argument says, from
# the seeds and the regressions. Fails at the first finding. `FUZZ_CORPUS=dir` keeps what was learnt.
set -euo pipefail
cd "$(dirname "$0")/../.."
export RUST_BACKTRACE=0

seconds=${1:-60}
target_dir=$(realpath -m "${CARGO_TARGET_DIR:-fuzz/target}")
triple=$(rustc --print host-tuple)
# The flags of `cargo fuzz` without a sanitizer: the pinned stable toolchain is enough, and the runtime has no `unsafe` that a
# sanitizer could say anything about. A C++ compiler builds libFuzzer. `--target` keeps macros and build scripts free of them.
build() {
  RUSTFLAGS="--cfg fuzzing -Cdebug-assertions -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-simplifycfg-branch-fold-threshold=0" \
    cargo build -q --release --manifest-path fuzz/Cargo.toml --target "$triple" --target-dir "$target_dir"
}

corpus=${FUZZ_CORPUS:-$(mktemp -d)}
if [[ -z ${FUZZ_CORPUS:-} ]]; then
  trap 'rm -rf "$corpus"' EXIT
fi

cargo fmt --manifest-path fuzz/Cargo.toml --check

# One core each.
run() {
  mkdir -p "$corpus/$1" "fuzz/artifacts/$1"
  "$target_dir/$triple/release/$1" "$corpus/$1" "fuzz/seeds/$1" "fuzz/regressions/$1" \
    -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=4096 \
    -dict="fuzz/dictionaries/$1.txt" -artifact_prefix="fuzz/artifacts/$1/" -print_final_stats=1 \
    >"$corpus/$1.log" 2>&1
}

targets=(arguments responses messages)
build
declare -A running
for target in "${targets[@]}"; do
  run "$target" &
  running[$target]=$!
done
found=0
for target in "${targets[@]}"; do
  echo "-- $target, $seconds s"
  if wait "${running[$target]}"; then
    grep -E '^#[0-9]+\s+(INITED|DONE)|^stat::number_of_executed_units' "$corpus/$target.log"
  else
    tail -n 40 "$corpus/$target.log"
    echo "a finding in the target $target; run it again with:"
    sed -n "s|.*Test unit written to |  $target_dir/$triple/release/$target |p" "$corpus/$target.log"
    found=1
  fi
done
exit "$found"

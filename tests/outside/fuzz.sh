#!/usr/bin/env bash
# Both targets of fuzz/ for a minute each, or for as many seconds as the first argument says, from
# the seeds and the regressions. Fails at the first finding. `FUZZ_CORPUS=dir` keeps what was learnt.
set -euo pipefail
cd "$(dirname "$0")/../.."
export RUST_BACKTRACE=0

seconds=${1:-60}
version=0.13.2
target_dir=$(realpath -m "${CARGO_TARGET_DIR:-fuzz/target}")
tools=$target_dir/cargo-fuzz

if ! [[ $("$tools/bin/cargo-fuzz" --version 2>&1) == "cargo-fuzz $version" ]]; then
  cargo install cargo-fuzz --version "$version" --locked --root "$tools" --target-dir "$target_dir/install"
fi
# A C++ compiler builds libFuzzer. Without sanitizers the pinned stable toolchain is enough; the
# runtime has no `unsafe` that they could say anything about.
fuzz() {
  "$tools/bin/cargo-fuzz" "$1" --fuzz-dir fuzz --target-dir "$target_dir" --sanitizer none "${@:2}"
}

corpus=${FUZZ_CORPUS:-$(mktemp -d)}
if [[ -z ${FUZZ_CORPUS:-} ]]; then
  trap 'rm -rf "$corpus"' EXIT
fi

cargo fmt --manifest-path fuzz/Cargo.toml --check
for target in arguments responses; do
  fuzz build "$target"
  artifacts=fuzz/artifacts/$target
  mkdir -p "$corpus/$target" "$artifacts"
  echo "-- $target, $seconds s"
  if ! fuzz run "$target" "$corpus/$target" "fuzz/seeds/$target" "fuzz/regressions/$target" -- \
    -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=4096 \
    -dict="fuzz/dictionaries/$target.txt" -artifact_prefix="$artifacts/" -print_final_stats=1 \
    >"$corpus/$target.log" 2>&1; then
    tail -n 40 "$corpus/$target.log"
    echo "a finding in the target $target; run it again with:"
    sed -n "s|.*Test unit written to |  $tools/bin/cargo-fuzz run --fuzz-dir fuzz --sanitizer none $target |p" "$corpus/$target.log"
    exit 1
  fi
  grep -E '^#[0-9]+\s+(INITED|DONE)|^stat::number_of_executed_units' "$corpus/$target.log"
done

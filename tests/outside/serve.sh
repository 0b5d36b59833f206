# Sourced from the root of the project: `start_serve` builds the example `serve`, starts it on a free
# port of the loopback with the arguments it gets, and says where in `url`. It ends with the script.
start_serve() {
  local log program
  cargo build -q -p toolwright-serve --all-features --example serve
  program=${CARGO_TARGET_DIR:-target}/debug/examples/serve
  log=$(mktemp)
  "$program" serve --listen 127.0.0.1:0 "$@" 2>"$log" &
  served=$!
  trap 'kill "$served" 2>/dev/null || true; wait "$served" 2>/dev/null || true; rm -f "'"$log"'"' EXIT
  url=
  for _ in $(seq 100); do
    url=$(sed -n 's/^listening on //p' "$log")
    if [[ -n $url ]] || ! kill -0 "$served" 2>/dev/null; then break; fi
    sleep 0.1
  done
  if [[ -z $url ]]; then
    cat "$log"
    echo "the example serve did not start"
    exit 1
  fi
}

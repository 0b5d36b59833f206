# Sourced from the root of the project: `start_serve EXAMPLE` builds an example of tool-serve, starts it
# on a free port of the loopback, with more arguments if there are, and says where in `url`.
# `end_serve` ends it, and so does the end of the script.
served=
end_serve() {
  if [[ -n $served ]]; then
    kill "$served" 2>/dev/null || true
    wait "$served" 2>/dev/null || true
    served=
  fi
}
trap end_serve EXIT

start_serve() {
  local log program
  cargo build -q --example "$1"
  program=${CARGO_TARGET_DIR:-target}/debug/examples/$1
  shift
  log=$(mktemp)
  "$program" serve --listen 127.0.0.1:0 "$@" 2>"$log" &
  served=$!
  url=
  for _ in $(seq 100); do
    url=$(sed -n 's/^listening on //p' "$log")
    if [[ -n $url ]] || ! kill -0 "$served" 2>/dev/null; then break; fi
    sleep 0.1
  done
  if [[ -z $url ]]; then
    cat "$log"
    echo "the example did not start"
    exit 1
  fi
  rm -f "$log"
}

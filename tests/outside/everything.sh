# Sourced from the root of the project: builds the example `everything` as `$everything`, and starts it over HTTP
# at `$url`, until the script ends.
cargo build -q --example everything
everything=$(realpath -m "${CARGO_TARGET_DIR:-target}")/debug/examples/everything

everything_log=$(mktemp)
"$everything" http --listen 127.0.0.1:0 2>"$everything_log" &
everything_pid=$!
trap 'kill "$everything_pid" 2>/dev/null || true; rm -f "$everything_log"' EXIT

url=
for _ in $(seq 100); do
  url=$(sed -n 's/.*listening on \(http:[^ ]*\).*/\1/p' "$everything_log")
  if [[ -n $url ]] || ! kill -0 "$everything_pid" 2>/dev/null; then break; fi
  sleep 0.1
done
if [[ -z $url ]]; then
  cat "$everything_log"
  echo "everything did not start"
  exit 1
fi

#!/usr/bin/env bash
# The public API of the facade, as a text in docs/api that is reviewed like a golden file: one line per name. `BLESS=1` writes it.
# It reads rustdoc's JSON, which the pinned toolchain only writes as if it were a nightly.
set -euo pipefail
cd "$(dirname "$0")/../.."
target_dir=$(realpath -m "${CARGO_TARGET_DIR:-target}")

# Only rustdoc gets RUSTC_BOOTSTRAP: build scripts read it, and their crates would be compiled again.
rustdoc=$target_dir/rustdoc-json
mkdir -p "$target_dir"
cat >"$rustdoc" <<'EOF'
#!/usr/bin/env bash
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
EOF
chmod +x "$rustdoc"
RUSTDOC=$rustdoc cargo rustdoc -q -p toolwright --lib --all-features -- -Z unstable-options --output-format json

names=$target_dir/public_api.txt
python3 - "$target_dir/doc/toolwright.json" >"$names" <<'EOF'
import json
import sys

docs = json.load(open(sys.argv[1]))


def names(module, path):
    for id in docs["index"][str(module)]["inner"]["module"]["items"]:
        item = docs["index"][str(id)]
        (kind, inner), = item["inner"].items()
        name = f"{path}::{item['name']}"
        if kind == "use" and inner["is_glob"]:
            yield f"use {path}::* ({inner['source']})"
        elif kind == "use":
            target = docs["paths"].get(str(inner["id"]), {"kind": "use"})
            yield f"{target['kind']} {path}::{inner['name']}"
        elif item["visibility"] == "public":
            yield f"{kind} {name}"
            if kind == "module":
                yield from names(id, name)


print(*sorted(names(docs["root"], "toolwright"), key=lambda line: line.split(" ", 1)[::-1]), sep="\n")
EOF
[[ $(wc -l <"$names") -gt 100 ]]
if [[ ${BLESS:-} ]]; then cp "$names" docs/api/toolwright.txt; fi
diff -u docs/api/toolwright.txt "$names" || {
  echo "the public API changed; if it is meant: BLESS=1 $0" >&2
  exit 1
}

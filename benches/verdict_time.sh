#!/usr/bin/env bash
# What `targets` add to `cargo check` of a crate of 100 tools, whose arguments are structs, enums, lists
# and maps: the same crate without a head, with three targets in its list, with them and a budget, and
# with the same targets in each `#[tool]`, and with all of its tools deferred and the checks of what a
# conversation may load (`at_most: 40`). Dependencies are built before, so that the times are those of
# the crate alone. The forms take turns, so that a busy machine is busy for all of them; the shortest
# of each counts.
#
#   benches/verdict_time.sh [TOOLS [RUNS]]
set -euo pipefail

tools=${1:-100}
runs=${2:-7}
root=$(cd "$(dirname "$0")/.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/verdict-time
export CARGO_TARGET_DIR=$work/target
targets='openai_strict, anthropic, gemini_json'

types=(Customer 'Vec<Line>' String 'Option<Speed>' 'BTreeMap<String, Line>' i64 Payment 'Option<Customer>' '(u8, String)' bool)
of() { echo "${types[$((($1) % ${#types[@]}))]}"; }

# crate NAME HEAD OPTIONS: a crate whose list has this head and whose tools have these options.
crate() {
  mkdir -p "$work/$1/src"
  cp "$root/Cargo.lock" "$work/$1/Cargo.lock"
  printf '[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\ntoolwright = { path = "%s" }\n' "$1" "$root" >"$work/$1/Cargo.toml"
  {
    cat <<'RUST'
#![allow(dead_code)]
use std::collections::BTreeMap;

use serde::Deserialize;
use toolwright::{Schema, Toolset, tool, tools};

/// Who pays
#[derive(Deserialize, Schema)]
pub struct Customer {
    /// Full name, as on the invoice
    name: String,
    /// Where it goes
    address: Address,
    tags: Vec<String>,
    contact: Option<Contact>,
}

#[derive(Deserialize, Schema)]
pub struct Address {
    street: String,
    number: Option<u32>,
    city: String,
    country: String,
}

#[derive(Deserialize, Schema)]
pub struct Contact {
    mail: Option<String>,
    phone: Option<String>,
}

/// One line of an order
#[derive(Deserialize, Schema)]
pub struct Line {
    sku: String,
    #[schema(range(1..=99))]
    quantity: u8,
    note: Option<String>,
}

#[derive(Deserialize, Schema)]
pub enum Speed {
    Slow,
    Normal,
    Fast,
}

#[derive(Deserialize, Schema)]
#[serde(tag = "kind")]
pub enum Payment {
    Card { number: String, owner: Customer },
    Invoice { to: Address, days: Option<u16> },
    Cash,
}
RUST
    local names='' i
    for i in $(seq "$tools"); do
      cat <<RUST
/// Tool number $i.
#[tool$3]
pub fn tool_$i(
    /// The first
    a: $(of "$i"),
    /// The second
    b: $(of $((i + 1))),
    /// The third
    c: $(of $((i + 3))),
) -> usize {
    size_of_val(&a) + size_of_val(&b) + size_of_val(&c)
}
RUST
      names+="tool_$i, "
    done
    # Where the head has a group, the tools are in it.
    case $2 in
      *TOOLS*) echo "pub fn all() -> Toolset { tools! { ${2/TOOLS/$names} } }" ;;
      *) echo "pub fn all() -> Toolset { tools! { $2 $names } }" ;;
    esac
  } >"$work/$1/src/lib.rs"
}

crate without '' ''
crate targets "targets: [$targets];" ''
crate budget "targets: [$targets], budget: 1_000_000;" ''
crate own '' "(targets($targets))"
crate deferred "targets: [$targets], budget: 1_000_000, defer: { all: [TOOLS] }, at_most: 40;" ''
forms=(without targets budget own deferred)
# A request may hold fewer tools, so a long list has to be deferred.
((tools > 120)) && crate without 'defer: { all: [TOOLS] };' '' && forms=(without own deferred)

declare -A best
for form in "${forms[@]}"; do
  best[$form]=999999
  cargo check -q --manifest-path "$work/$form/Cargo.toml"
done
for _ in $(seq "$runs"); do
  for form in "${forms[@]}"; do
    echo "// $RANDOM" >>"$work/$form/src/lib.rs"
    start=$(date +%s%N)
    cargo check -q --offline --manifest-path "$work/$form/Cargo.toml"
    end=$(date +%s%N)
    took=$(((end - start) / 1000000))
    ((took < best[$form])) && best[$form]=$took
  done
done
echo "cargo check of $tools tools with three targets ($targets): milliseconds, shortest of $runs"
for form in "${forms[@]}"; do
  printf '%-8s %6d %+6d\n' "$form" "${best[$form]}" $((best[$form] - best[without]))
done

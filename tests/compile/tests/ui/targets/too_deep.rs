use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct A {
    b: B,
}

#[derive(Deserialize, Schema)]
struct B {
    c: C,
}

#[derive(Deserialize, Schema)]
struct C {
    d: D,
}

#[derive(Deserialize, Schema)]
struct D {
    e: E,
}

#[derive(Deserialize, Schema)]
struct E {
    n: u8,
}

/// Digs.
#[tool]
fn dig(a: A) -> u8 {
    a.b.c.d.e.n
}

fn main() {
    tools! { targets: [openai_strict, azure_strict]; dig };
}

#![allow(unused_variables)]
use toolwright::tool;

/// Add many numbers.
#[tool]
#[rustfmt::skip]
fn add(
    a0: u8, a1: u8, a2: u8, a3: u8, a4: u8, a5: u8, a6: u8, a7: u8, a8: u8, a9: u8, b0: u8, b1: u8, b2: u8,
    b3: u8, b4: u8, b5: u8, b6: u8, b7: u8, b8: u8, b9: u8, c0: u8, c1: u8, c2: u8, c3: u8, c4: u8, c5: u8,
    c6: u8, c7: u8, c8: u8, c9: u8, d0: u8, d1: u8, d2: u8, d3: u8, d4: u8, d5: u8, d6: u8, d7: u8, d8: u8,
    d9: u8, e0: u8, e1: u8, e2: u8, e3: u8, e4: u8, e5: u8, e6: u8, e7: u8, e8: u8, e9: u8, f0: u8, f1: u8,
    f2: u8, f3: u8, f4: u8, f5: u8, f6: u8, f7: u8, f8: u8, f9: u8, g0: u8, g1: u8, g2: u8, g3: u8, g4: u8,
) {}

fn main() {}

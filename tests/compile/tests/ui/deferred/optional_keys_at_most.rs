use toolwright::{tool, tools};

/// Sets 4 flags.
#[tool]
fn few(a: Option<bool>, b: Option<bool>, c: Option<bool>, d: Option<bool>) -> bool {
    [a, b, c, d].contains(&Some(true))
}

/// Sets 10 flags.
#[tool]
fn more(a: Option<bool>, b: Option<bool>, c: Option<bool>, d: Option<bool>, e: Option<bool>, f: Option<bool>, g: Option<bool>, h: Option<bool>, i: Option<bool>, j: Option<bool>) -> bool {
    [a, b, c, d, e, f, g, h, i, j].contains(&Some(true))
}

/// Sets 14 flags.
#[tool]
fn most(a: Option<bool>, b: Option<bool>, c: Option<bool>, d: Option<bool>, e: Option<bool>, f: Option<bool>, g: Option<bool>, h: Option<bool>, i: Option<bool>, j: Option<bool>, k: Option<bool>, l: Option<bool>, m: Option<bool>, n: Option<bool>) -> bool {
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n].contains(&Some(true))
}

fn main() {
    tools! { targets: [anthropic_strict], defer: { flags: [more, most] }, at_most: 2; few };
}

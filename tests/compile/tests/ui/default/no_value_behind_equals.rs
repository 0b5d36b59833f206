use toolwright::tool;

/// List the entries.
#[tool]
fn list(#[arg(default = )] from: u32) -> u32 {
    from
}

fn main() {}

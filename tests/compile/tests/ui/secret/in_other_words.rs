use toolwright::tool;

/// Logs in.
#[tool]
fn login(#[arg(sensitive)] password: &str) -> usize {
    password.len()
}

fn main() {}

use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
struct Login {
    password: String,
}

/// Logs in.
#[tool]
fn login(#[arg(flatten, secret)] who: Login) -> usize {
    who.password.len()
}

fn main() {}

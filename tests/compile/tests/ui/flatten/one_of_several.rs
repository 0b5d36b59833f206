use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
#[serde(tag = "by")]
enum Query {
    Name { name: String },
    Id { id: u64 },
}

/// Finds.
#[tool]
fn find(#[arg(flatten)] query: Query) {
    let _ = query;
}

fn main() {}

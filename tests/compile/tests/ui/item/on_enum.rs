use toolwright::tool;

/// A city.
#[tool]
pub enum City {
    Oslo,
}

fn main() {}

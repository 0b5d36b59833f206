use toolwright::tool;

/// Counts.
#[tool]
fn count(to: u8) -> std::vec::IntoIter<u8> {
    vec![to].into_iter()
}

fn main() {}

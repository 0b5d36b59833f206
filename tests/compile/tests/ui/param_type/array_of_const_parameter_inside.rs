use toolwright::{tool, tools};

/// Hashes bytes.
#[tool]
fn hash<const N: usize>(bytes: Option<Vec<[u8; N]>>) -> usize {
    bytes.map_or(0, |all| all.len())
}

fn main() {
    let _ = tools![hash::<4> as "hash"];
}

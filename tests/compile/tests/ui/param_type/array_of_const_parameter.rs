use toolwright::{tool, tools};

/// Hashes bytes.
#[tool]
fn hash<const N: usize>(bytes: [u8; N]) -> usize {
    bytes.len()
}

fn main() {
    let _ = tools![hash::<4> as "hash"];
}

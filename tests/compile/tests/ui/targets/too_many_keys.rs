use toolwright::{tool, tools};

/// Fills a form.
#[tool]
fn fill(squares: [[u8; 8]; 8], rows: [[u8; 4]; 8]) -> u8 {
    squares.iter().flatten().chain(rows.iter().flatten()).sum()
}

fn main() {
    tools! { targets: [azure_strict]; fill };
}

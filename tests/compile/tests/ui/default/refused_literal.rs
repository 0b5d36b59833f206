use toolwright::tool;

/// Lists what there is.
#[tool]
fn list(
    #[arg(default = "a b", pattern = "^[a-z]+$")] from: &str,
    #[arg(default = "abcd", len(..=3))] to: &str,
    #[arg(default = 7, multiple_of = 5)] most: u8,
) -> bool {
    from == to && most > 1
}

fn main() {}

use toolwright::prompt;

/// Review code.
#[prompt(args = Review)]
fn review(code: &str) -> String {
    code.to_owned()
}

fn main() {}

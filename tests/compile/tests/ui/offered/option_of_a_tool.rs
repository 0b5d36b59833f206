use toolwright::prompt;

/// Reviews code.
#[prompt(destructive)]
fn review(code: String) -> String {
    code
}

fn main() {}

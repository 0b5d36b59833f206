use toolwright::prompt;

#[prompt]
fn review(code: String) -> String {
    code
}

fn main() {}

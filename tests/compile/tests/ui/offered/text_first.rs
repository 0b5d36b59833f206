use toolwright::prompt;

#[prompt("Reviews code.")]
fn review(code: String) -> String {
    code
}

fn main() {}

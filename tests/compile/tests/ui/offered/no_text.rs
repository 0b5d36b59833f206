use toolwright::prompt;

/// Reviews files.
#[prompt]
fn review(files: Vec<String>) -> String {
    files.join(" ")
}

fn main() {}

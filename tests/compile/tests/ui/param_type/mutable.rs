use toolwright::tool;

/// Sort words.
#[tool]
fn sort(words: &mut Vec<String>) {
    words.sort();
}

fn main() {}

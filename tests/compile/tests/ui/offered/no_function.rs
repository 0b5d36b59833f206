use toolwright::prompt;

/// Reviews code.
#[prompt]
struct Review;

fn main() {}

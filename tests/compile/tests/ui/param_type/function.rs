use toolwright::tool;

/// Do it later.
#[tool]
fn later(then: Box<dyn Fn() + Send>) {
    then();
}

fn main() {}

use toolwright::{call::Items, tool};

/// Count.
#[tool]
fn count() -> Items<Result<u32, String>> {
    unimplemented!()
}

fn main() {}

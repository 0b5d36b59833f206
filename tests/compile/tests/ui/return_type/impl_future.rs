use toolwright::tool;

/// Count.
#[tool]
fn count() -> impl Future<Output = u32> {
    async { 3 }
}

fn main() {}

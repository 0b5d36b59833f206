use toolwright::tool;

trait Stream {
    type Item;
}

impl Stream for () {
    type Item = u8;
}

/// Counts.
#[tool]
fn count() -> impl Stream<Item = u8> {
}

fn main() {}

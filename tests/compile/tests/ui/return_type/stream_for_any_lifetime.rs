use toolwright::tool;

trait Stream<'a> {
    type Item;
}

/// Counts.
#[tool]
fn count() -> Box<dyn for<'a> Stream<'a, Item = u8>> {
    todo!()
}

fn main() {}

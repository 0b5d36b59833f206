use toolwright::tool;

/// A shop.
#[tool]
pub trait Shop {
    fn buy(&self);
}

fn main() {}

use toolwright::{tool, tools};

struct Shop;

#[tool]
impl Shop {
    /// Sells.
    #[tool]
    fn sell(&self, count: Option<_>) -> bool {
        count == Some(1)
    }
}

fn main() {
    let _ = tools![..Shop: Shop];
}

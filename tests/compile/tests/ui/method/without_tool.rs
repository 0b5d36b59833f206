use toolwright::tool;

struct Shop;

#[tool]
impl Shop {
    /// Counts what is in stock.
    #[tool]
    fn count(&self) -> u32 {
        3
    }

    /// Orders something.
    fn order(&self, #[arg(range(1..))] quantity: u32) -> u32 {
        quantity
    }
}

fn main() {}

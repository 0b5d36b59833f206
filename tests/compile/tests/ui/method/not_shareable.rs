use std::cell::Cell;
use toolwright::tool;

struct Crm(Cell<u32>);

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) -> u32 {
        self.0.get()
    }
}

fn main() {}

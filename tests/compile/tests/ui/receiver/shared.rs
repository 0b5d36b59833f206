use std::sync::Arc;
use toolwright::tool;

struct Crm(u32);

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(self: Arc<Self>) -> u32 {
        self.0
    }
}

fn main() {}

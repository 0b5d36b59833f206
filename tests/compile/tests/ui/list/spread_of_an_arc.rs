use std::sync::Arc;

use toolwright::{tool, tools};

struct Crm;

#[tool]
impl Crm {
    /// Find a customer.
    #[tool]
    fn find(&self, id: u32) -> u32 {
        id
    }
}

fn main() {
    let crm = Arc::new(Crm);
    tools![..crm: Arc<Crm>];
}

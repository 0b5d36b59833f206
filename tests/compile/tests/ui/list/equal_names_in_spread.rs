use toolwright::{tool, tools};

struct Crm;

#[tool]
impl Crm {
    /// Count the customers.
    #[tool]
    fn count(&self) {}
}

/// Count the rest.
#[tool]
fn count() {}

fn main() {
    tools![count, ..Crm: Crm];
}

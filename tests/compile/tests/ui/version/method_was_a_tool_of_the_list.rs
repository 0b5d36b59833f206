use toolwright::{tool, tools};

struct Crm;

#[tool]
impl Crm {
    /// Finds a customer.
    #[tool(was("search"))]
    fn find(&self) {}
}

/// Searches.
#[tool]
fn crm_search() {}

fn main() {
    tools![crm_search, ..Crm: Crm as "crm_"];
}
